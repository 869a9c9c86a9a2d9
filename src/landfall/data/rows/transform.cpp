#include <landfall/data/rows/row_loops.hpp>
#include <landfall/data/rows/transform.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

/// Columns of the source and their places, one after the other.
struct ColumnRun {
  Index from, to, count;
};

/// Takes the columns that are kept, centred and scaled, in one pass over the numbers; `to` has as many rows and may be `from`
/// where all columns are kept.
template <class S>
void centre_rows(const Batch<S>& from, const std::vector<Index>& kept, const Vector<double>& mean,
                 const Vector<double>& scale, Batch<S>& to) {
  thread_local std::vector<ColumnRun> runs;  // of the thread, so that nothing is allocated for each batch
  thread_local std::vector<double> inverse, means;
  const auto count = static_cast<Index>(kept.size());
  runs.clear();
  inverse.resize(kept.size());
  for (Index k = 0; k < count; ++k) {
    const Index column = kept[static_cast<std::size_t>(k)];
    if (k > 0 && column == runs.back().from + runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({column, k, 1});
    inverse[static_cast<std::size_t>(k)] = 1 / scale(k);
  }
  const bool scattered = 8 * static_cast<Index>(runs.size()) > count + 8;  // too short for vectors
  const InstructionSet set = instruction_set();
  const S* source = from.values().data();
  S* target = to.values().data();
  if (count > 0 && count == from.cols()) {  // whole rows, several of them at a time where they are short
    constexpr Index kNumbers = 256;
    const Index rows = std::clamp<Index>(kNumbers / count, 1, std::max<Index>(to.rows(), 1));
    means.resize(static_cast<std::size_t>(rows * count));
    inverse.resize(means.size());
    for (std::size_t k = 0; k < means.size(); ++k) {
      const std::size_t column = k % kept.size();
      means[k] = mean(static_cast<Index>(column));
      inverse[k] = inverse[column];
    }
    for (Index i = 0; i < to.rows(); i += rows)
      centre<S>(source + i * count, target + i * count, std::min(rows, to.rows() - i) * count, means.data(),
                inverse.data(), set);
    return;
  }
  for (Index i = 0; i < to.rows(); ++i, source += from.cols(), target += count) {
    if (scattered) {
      for (Index k = 0; k < count; ++k) target[k] = source[kept[static_cast<std::size_t>(k)]];
      centre<S>(target, target, count, mean.data(), inverse.data(), set);
      continue;
    }
    for (const ColumnRun& run : runs)
      centre(source + run.from, target + run.to, run.count, mean.data() + run.to, inverse.data() + run.to,
             set);
  }
}

}  // namespace

template <class S>
Vector<S> CentredBatch<S>::roots() const {
  if (batch.roots().empty()) return Vector<S>::Ones(rows());
  return Eigen::Map<const Vector<S>>(batch.roots().data(), rows());
}

template <class S>
void CentredBatch<S>::times(In<S> x, Out<S> out) const {
  batch.times(x, out);
  if (mean.size() == 0) return;
  View<S>& shift = row_.resize(1, x.cols());
  multiply_at<S>(mean, x, shift);
  if (batch.roots().empty())
    out.rowwise() -= shift.row(0);
  else
    out.noalias() -= roots() * shift.row(0);
}

template <class S>
void CentredBatch<S>::transpose_times(In<S> w, Out<S> out, S scale, S beta) const {
  batch.transpose_times(w, out, scale, beta);
  if (mean.size() == 0) return;
  View<S>& sums = row_.resize(1, w.cols());
  if (batch.roots().empty())
    sums = w.colwise().sum();
  else
    sums.noalias() = roots().transpose() * w;
  multiply<S>(mean, sums, out, -scale, S(1));
}

template <class S>
Transform<S>::Transform(std::string name, Index cols, const TransformOptions& options)
    : name_(std::move(name)),
      cols_(cols),
      options_(options),
      kept_(static_cast<std::size_t>(cols)),
      place_(kept_.size()) {
  std::iota(kept_.begin(), kept_.end(), Index{0});
  place_ = kept_;
  mean_.setZero(cols);
  scale_.setOnes(cols);
  replacement_.setZero(cols);
}

template <class S>
void Transform<S>::learn(const ColumnStatistics& columns) {
  kept_.clear();
  dropped_.clear();
  auto constant = columns.constant.begin();
  for (Index j = 0; j < cols_; ++j) {
    bool zero = constant != columns.constant.end() && *constant == j;
    if (zero) ++constant;
    if (options_.centring == Centring::none) zero = zero && columns.min(j) == 0;
    place_[static_cast<std::size_t>(j)] = zero ? -1 : static_cast<Index>(kept_.size());
    (zero ? dropped_ : kept_).push_back(j);
  }
  follow(columns);
}

template <class S>
void Transform<S>::follow(const ColumnStatistics& columns) {
  const auto count = static_cast<Index>(kept_.size());
  replacement_ = columns.mean;
  mean_.setZero(count);
  scale_.setOnes(count);
  for (Index k = 0; k < count; ++k) {
    const Index j = kept_[static_cast<std::size_t>(k)];
    const bool centred = options_.centring != Centring::none;
    if (centred) mean_(k) = columns.mean(j);
    if (options_.scaled()) {
      const double scale = options_.scaling == Scaling::deviation ? deviation(columns, j, centred)
                                                                  : row_size(columns, j, centred);
      if (scale > 0) scale_(k) = std::max(scale, std::numeric_limits<double>::min());  // has an inverse
    }
    // Variances of other columns and their sums must be numbers too.
    const double most = static_cast<double>(std::numeric_limits<S>::max()) / 1e4;
    const double size = columns.variance.size() > 0 ? columns.variance(j) / scale_(k) / scale_(k) : 0;
    if (!std::isfinite(mean_(k)) || !std::isfinite(scale_(k)) || !(size < most))
      throw DataError(
          fmt::format("{}: column {} has numbers too large for their mean or variance", name_, j + 1));
  }
}

template <class S>
void Transform<S>::check(const Batch<S>& batch, std::vector<char>& drop) const {
  if (options_.missing == Missing::mean) return;
  const auto found = [&](Index row, Index col, S value) {
    if (drop[static_cast<std::size_t>(row)]) return;
    if (options_.missing == Missing::drop) {
      drop[static_cast<std::size_t>(row)] = 1;
      return;
    }
    // A number that only double precision can hold becomes infinite too.
    const bool single = std::is_same_v<S, float> && !std::isnan(value);
    throw DataError(
        fmt::format("{}: row {}, column {}{} is {}{}; every entry must be finite{}", name_,
                    batch.numbers()[static_cast<std::size_t>(row)] + 1, col + 1,
                    names_.empty() ? "" : fmt::format(" ({})", names_[static_cast<std::size_t>(col)]),
                    std::isnan(value) ? "NaN"
                    : value > 0       ? "Inf"
                                      : "-Inf",
                    single ? " in single precision" : "",
                    rule_can_change_ ? " (or --missing drop, or --missing mean)" : ""));
  };
  if (batch.sparse()) {
    for (Index i = 0; i < batch.rows(); ++i)
      for (Index k = batch.starts()[static_cast<std::size_t>(i)];
           k < batch.starts()[static_cast<std::size_t>(i) + 1]; ++k)
        if (const S value = batch.values()[static_cast<std::size_t>(k)]; !std::isfinite(value))
          found(i, batch.columns()[static_cast<std::size_t>(k)], value);
    return;
  }
  const InstructionSet set = instruction_set();
  if (all_finite(batch.values().data(), std::ssize(batch.values()), set)) return;
  for (Index i = 0; i < batch.rows(); ++i)
    if (!all_finite(batch.dense().col(i).data(), batch.cols(), set))
      for (Index j = 0; j < batch.cols(); ++j)
        if (const S value = batch.dense()(j, i); !std::isfinite(value)) found(i, j, value);
}

template <class S>
void Transform<S>::apply(Batch<S>& batch, CentredBatch<S>& out) const {
  if (batch.cols() != cols_)
    throw UsageError(fmt::format("{}: a batch of {} columns, expected {}", name_, batch.cols(), cols_));
  const bool centred = options_.centring != Centring::none, scaled = options_.scaled();
  const bool sparse = batch.sparse();
  if (options_.missing == Missing::mean)
    for (std::size_t k = 0; k < batch.values().size(); ++k)
      if (S& value = batch.values()[k]; !std::isfinite(value)) {
        const Index j = sparse ? batch.columns()[k] : static_cast<Index>(k) % cols_;
        value = static_cast<S>(replacement_(j));
      }

  out.mean.resize(0);
  if (sparse && centred) out.mean = mean_.cwiseQuotient(scale_).cast<S>();
  if (sparse && dropped_.empty()) {
    std::swap(batch, out.batch);
  } else if (sparse) {
    out.batch.start_sparse(static_cast<Index>(kept_.size()));
    for (std::size_t i = 0; i < batch.numbers().size(); ++i) {
      out.batch.add_sparse_row(batch.numbers()[i]);
      for (auto k = static_cast<std::size_t>(batch.starts()[i]);
           k < static_cast<std::size_t>(batch.starts()[i + 1]); ++k)
        if (const Index place = place_[static_cast<std::size_t>(batch.columns()[k])]; place >= 0)
          out.batch.add_entry(place, batch.values()[k]);
    }
  } else if (dropped_.empty()) {
    std::swap(batch, out.batch);
    if (centred || scaled) centre_rows<S>(out.batch, kept_, mean_, scale_, out.batch);
  } else {
    out.batch.start_dense(static_cast<Index>(kept_.size()));
    out.batch.add_rows(batch.numbers());
    centre_rows<S>(batch, kept_, mean_, scale_, out.batch);
  }
  if (!sparse || !scaled) return;
  for (std::size_t k = 0; k < out.batch.values().size(); ++k) {
    S& value = out.batch.values()[k];
    value = static_cast<S>(static_cast<double>(value) / scale_(out.batch.columns()[k]));
  }
}

template <class S>
Matrix<S> Transform<S>::restore_rows(In<S> weights) const {
  if (weights.rows() != static_cast<Index>(kept_.size()))
    throw UsageError(
        fmt::format("{}: weights for {} columns, expected {}", name_, weights.rows(), kept_.size()));
  Matrix<S> all = Matrix<S>::Zero(cols_, weights.cols());
  for (std::size_t k = 0; k < kept_.size(); ++k) all.row(kept_[k]) = weights.row(static_cast<Index>(k));
  return all;
}

LANDFALL_TRANSFORM(, float)
LANDFALL_TRANSFORM(, double)

}  // namespace landfall
