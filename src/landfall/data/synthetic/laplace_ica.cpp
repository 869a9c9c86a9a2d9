#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

enum LaplacePurpose : std::uint64_t {
  left_basis = 0x6963616c,
  right_basis = 0x69636172,
  laplace_source = 0x69636173
};

/// By the inverse of the distribution function.
double laplace(double uniform) {
  return uniform < 0.5 ? std::log(2 * uniform) : -std::log(2 * (1 - uniform));
}

}  // namespace

void LaplaceIcaOptions::validate() const {
  if (samples < 1)
    throw UsageError(fmt::format("LaplaceIcaOptions: samples = {}, expected at least 1", samples));
  if (features < 1 || features > 46'340)  // whose square still fits LAPACK's 32 bits
    throw UsageError(fmt::format("LaplaceIcaOptions: features = {}, expected 1 to 46340", features));
  if (!(condition >= 1) || !std::isfinite(condition))
    throw UsageError(
        fmt::format("LaplaceIcaOptions: condition = {}, expected a finite number of at least 1", condition));
  if (uniform_sources < 0 || uniform_sources > features)
    throw UsageError(fmt::format("LaplaceIcaOptions: uniform_sources = {}, expected 0 to {}, the features",
                                 uniform_sources, features));
}

template <class S>
LaplaceIca<S>::LaplaceIca(const LaplaceIcaOptions& options)
    : laplace_(options.features - options.uniform_sources), seed_(options.seed) {
  options.validate();
  const Index n = options.features;
  mixing_ = random_orthonormal(n, n, {seed_, left_basis});
  if (options.condition > 1 && n > 1) {
    Vector<double> values(n);
    for (Index i = 0; i < n; ++i)
      values[i] = std::pow(options.condition, -static_cast<double>(i) / static_cast<double>(n - 1));
    mixing_ = mixing_ * values.asDiagonal() * random_orthonormal(n, n, {seed_, right_basis}).transpose();
  }
  sources_.resize(n);
  row_.resize(n);
}

template <class S>
void LaplaceIca<S>::read(Index first, Index count, Batch<S>& batch) {
  batch.start_dense(mixing_.rows());
  for (Index row = first; row < first + count; ++row) {
    Draws draws({seed_, laplace_source}, row);
    for (Index k = 0; k < sources_.size(); ++k) {
      const double uniform = draws.uniform();
      sources_[k] = k < laplace_ ? laplace(uniform) : std::sqrt(6.0) * (2 * uniform - 1);
    }
    row_.noalias() = mixing_ * sources_;
    const auto out = batch.add_row(row);
    for (Index j = 0; j < row_.size(); ++j) out[static_cast<std::size_t>(j)] = static_cast<S>(row_[j]);
  }
}

void write_laplace_ica(const std::filesystem::path& folder, const LaplaceIcaOptions& options,
                       const std::string& ending) {
  LaplaceIca<float> mixture(options);
  make_folder(folder);
  const auto data = open_writer<float>(folder / ("data" + ending), options.features);
  const Index step = std::clamp<Index>((1 << 20) / options.features, 16, 4096);
  Batch<float> batch;
  for (Index first = 0; first < options.samples; first += step) {
    mixture.read(first, std::min(step, options.samples - first), batch);
    data->write(batch);
  }
  std::vector<std::string_view> kinds(static_cast<std::size_t>(options.features), "\"laplace\"");
  std::fill(kinds.end() - options.uniform_sources, kinds.end(), "\"uniform\"");
  AtomicFile truth(folder / "truth.json");
  truth.write(fmt::format(
      "{{\n  \"samples\": {},\n  \"features\": {},\n  \"condition\": {},\n  \"seed\": {},\n  \"sources\": "
      "[{}]\n}}\n",
      options.samples, options.features, options.condition, options.seed, fmt::join(kinds, ", ")));
  write_npy<double>(folder / "mixing.npy", mixture.mixing());
  truth.commit();
  data->finish();
}

template class LaplaceIca<float>;
template class LaplaceIca<double>;

}  // namespace landfall
