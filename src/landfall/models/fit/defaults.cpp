#include <landfall/models/fit/defaults.hpp>

#include <algorithm>
#include <bit>

namespace landfall {

double default_passes(Index rows) {
  return std::clamp(65536 / static_cast<double>(std::max<Index>(rows, 1)), kPasses, 256.0);
}

namespace {

Index at_least_eight_times(Index p, Index least) {
  return std::max(least, static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(8 * p))));
}

}  // namespace

Index default_batch(Index p, bool sparse) {
  return at_least_eight_times(p, sparse ? 2048 : 512);
}

Index small_batch(Index p, bool sparse) {
  return at_least_eight_times(p, sparse ? 1024 : 128);
}

Index default_first_rows(Index columns) {
  return std::clamp<Index>(8 * columns, 8192, 16384);
}

bool few_first_rows(Index rows, Index columns, Index widest) {
  return 2 * std::min(rows, default_first_rows(widest)) < 3 * columns;
}

Index cca_guard(Index p) {
  return std::max<Index>(15, p / 4);
}

Index lda_guard(Index p) {
  return std::max<Index>(16, p);
}

namespace {

/// Rows of n dense columns that fit in so many bytes.
template <class S>
Index rows_in(std::uint64_t bytes, Index n) {
  return static_cast<Index>(
      std::min<std::uint64_t>(bytes / (sizeof(S) * static_cast<std::uint64_t>(n)), 1u << 30));
}

}  // namespace

template <class S>
Index ica_batch(Index p, Index n, std::uint64_t memory) {
  return std::max(std::min(Index{1024}, rows_in<S>(memory / 48, n)), ica_rows_for(p));
}

template <class S>
Index ica_first_rows(Index wanted, Index p, Index n, std::uint64_t memory) {
  return std::max(
      {std::min(std::max(wanted, 100 * n), rows_in<S>(memory / 4, n)), ica_rows_for(p), Index{256}});
}

Vector<double> signs_of_largest(const Matrix<double>& weights) {
  Vector<double> signs(weights.cols());
  for (Index j = 0; j < weights.cols(); ++j) {
    Index largest = 0;
    weights.col(j).cwiseAbs().maxCoeff(&largest);
    signs(j) = weights(largest, j) < 0 ? -1 : 1;
  }
  return signs;
}

template <class S>
Matrix<double> unscaled(const DataStream<S>& stream, std::size_t view, const Matrix<double>& x) {
  return stream.transform(view).scale().cwiseInverse().asDiagonal() * x;
}

template <class S>
void set_weights(const DataStream<S>& stream, std::size_t view, const Matrix<double>& weights,
                 FittedView<S>& out) {
  const Transform<S>& transform = stream.transform(view);
  out.weights = transform.restore_rows(weights.template cast<S>());
  out.mean.setZero(stream.source(view).cols());
  for (std::size_t k = 0; k < transform.kept().size(); ++k)
    out.mean(transform.kept()[k]) = transform.mean()(static_cast<Index>(k));
  out.dropped = transform.dropped();
  if (const ColumnStatistics* columns = stream.statistics(view); columns && !transform.mean().isZero(0))
    for (const Index j : out.dropped) out.mean(j) = columns->mean(j);
}

LANDFALL_DEFAULTS(, float)
LANDFALL_DEFAULTS(, double)

}  // namespace landfall
