#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/data/synthetic/planted_view.ipp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

enum PlantedPurpose : std::uint64_t { latent = 0x7063636c };

PlantedViewOptions view_options(const PlantedCcaOptions& options, const Vector<double>& correlations,
                                Index cols, std::uint64_t side) {
  return {.cols = cols,
          .correlations = correlations,
          .condition = options.condition,
          .spectrum = options.spectrum,
          .nonzeros = options.nonzeros.value_or(0),
          .seed = options.seed,
          .side = side};
}

}  // namespace

Spectrum parse_spectrum(const std::string& name) {
  if (name == "log") return Spectrum::log;
  if (name == "flat") return Spectrum::flat;
  if (name == "two-level") return Spectrum::two_level;
  if (name == "power") return Spectrum::power;
  throw UsageError(fmt::format("unknown spectrum '{}'; expected log, flat, two-level or power", name));
}

std::vector<double> equidistant_correlations(Index count, double first, double last) {
  std::vector<double> out(static_cast<std::size_t>(std::max<Index>(count, 0)), first);
  for (std::size_t k = 1; k < out.size(); ++k)
    out[k] = first + (last - first) * static_cast<double>(k) / static_cast<double>(out.size() - 1);
  return out;
}

void PlantedCcaOptions::validate() const {
  if (samples < 1)
    throw UsageError(fmt::format("PlantedCcaOptions: samples = {}, expected at least 1", samples));
  const Index columns = std::min(left, right);
  if (columns < 1 || std::max(left, right) > std::numeric_limits<int>::max())
    throw UsageError(fmt::format(
        "PlantedCcaOptions: left = {} and right = {}, expected at least 1 and below 2^31", left, right));
  if (correlations.empty() || static_cast<Index>(correlations.size()) > columns)
    throw UsageError(
        fmt::format("PlantedCcaOptions: {} correlations of views of {} and {} columns, expected 1 to {}",
                    correlations.size(), left, right, columns));
  for (const double rho : correlations)
    if (!(rho > 0 && rho < 1))
      throw UsageError(fmt::format("PlantedCcaOptions: a correlation of {}, expected between 0 and 1", rho));
  if (!(condition >= 1) || !std::isfinite(condition))
    throw UsageError(
        fmt::format("PlantedCcaOptions: condition = {}, expected a finite number of at least 1", condition));
  if (nonzeros && !(*nonzeros > 0 && *nonzeros <= static_cast<double>(columns) / 2))
    throw UsageError(fmt::format(
        "PlantedCcaOptions: nonzeros = {} of {} columns, expected more than 0 and at most half of them",
        *nonzeros, columns));
}

template <class S>
PlantedCca<S>::PlantedCca(const PlantedCcaOptions& options) : seed_(options.seed) {
  options.validate();
  std::vector<double> sorted = options.correlations;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  correlations_ = Eigen::Map<const Vector<double>>(sorted.data(), static_cast<Index>(sorted.size()));
  shared_.resize(correlations_.size());
  const auto make = options.nonzeros ? make_sparse_view<S> : make_dense_view<S>;
  left_ = make(view_options(options, correlations_, options.left, 0));
  right_ = make(view_options(options, correlations_, options.right, 1));
}

template <class S>
PlantedCca<S>::~PlantedCca() = default;

template <class S>
void PlantedCca<S>::read(Index first, Index count, Batch<S>& left, Batch<S>& right) {
  left_->start(left);
  right_->start(right);
  for (Index row = first; row < first + count; ++row) {
    Draws draws({seed_, latent}, row);
    for (double& z : shared_) z = draws.normal();
    left_->add_row(row, shared_, left);
    right_->add_row(row, shared_, right);
  }
}

template <class S>
const Matrix<double>& PlantedCca<S>::left_weights() const {
  return left_->weights();
}

template <class S>
const Matrix<double>& PlantedCca<S>::right_weights() const {
  return right_->weights();
}

void write_planted_cca(const std::filesystem::path& folder, const PlantedCcaOptions& options,
                       const std::string& ending) {
  PlantedCca<float> planted(options);
  make_folder(folder);
  const auto left = open_writer<float>(folder / ("left" + ending), options.left);
  const auto right = open_writer<float>(folder / ("right" + ending), options.right);
  constexpr Index entries = 1 << 20;  // of a batch, at most
  const Index step = std::clamp<Index>(entries / std::max(options.left, options.right), 16, 4096);
  Batch<float> x, y;
  for (Index first = 0; first < options.samples; first += step) {
    planted.read(first, std::min(step, options.samples - first), x, y);
    left->write(x);
    right->write(y);
  }
  write_npy<double>(folder / "weights_left.npy", planted.left_weights());
  write_npy<double>(folder / "weights_right.npy", planted.right_weights());
  write_npy_vector<double>(folder / "correlations.npy", planted.correlations());
  left->finish();
  right->finish();
}

template class PlantedCca<float>;
template class PlantedCca<double>;

}  // namespace landfall
