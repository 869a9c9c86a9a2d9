#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/run/loadings.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace landfall {
namespace {

/// Marks the rows that the fit did not see.
template <class S>
void mark_held_out(const Batch<S>& rows, Index first_row, const FitOptions& options, std::vector<char>& out) {
  if (options.held_out <= 0) return;
  const ShuffleOptions parts{.seed = options.seed, .held_out = options.held_out};
  for (std::size_t i = 0; i < out.size(); ++i)
    if (part_of(first_row + rows.numbers()[i], parts) == Part::held_out) out[i] = 1;
}

/// Marks rows of weight 0.
template <class S>
void mark_weightless(const Batch<S>& rows, const FitOptions& options, std::vector<char>& out) {
  if (!options.weights) return;
  for (std::size_t i = 0; i < out.size(); ++i)
    if ((*options.weights)[rows.numbers()[i]] == 0) out[i] = 1;
}

template <class S>
void weigh(Batch<S>& rows, const FitOptions& options) {
  if (!options.weighted()) return;
  std::vector<S> roots;
  for (const Index number : rows.numbers())
    roots.push_back(static_cast<S>(std::sqrt((*options.weights)[number])));
  rows.weigh(roots);
}

template <class S>
void remove_marked(Batch<S>& rows, const std::vector<char>& marked, Batch<S>& kept) {
  if (std::ranges::find(marked, 1) == marked.end()) return;
  start_like(rows, kept);
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (!marked[i]) append_row(rows, static_cast<Index>(i), kept);
  std::swap(rows, kept);
}

/// The rows that the ranks before this one have.
template <class S>
Index rows_before(Source<S>& source, Communicator& communicator) {
  const auto counts =
      counts_of_ranks(communicator, source.rows().value());  // the fit has read the file to its end
  return std::accumulate(counts.begin(), counts.begin() + communicator.rank(), Index{0});
}

}  // namespace

template <class S>
Matrix<double> loadings_of(Source<S>& source, const FittedView<S>& view, const FitOptions& options) {
  constexpr Index kRows = 1024;
  TransformOptions transform_options = options.transform;
  transform_options.scaling = Scaling::none;
  Transform<S> transform(source.name(), source.cols(), transform_options);
  ColumnStatistics columns;
  columns.mean = view.mean;
  transform.follow(columns);

  Matrix<double> cross = Matrix<double>::Zero(view.weights.rows(), view.weights.cols());
  Matrix<S> part(cross.rows(), cross.cols()), scores;
  Batch<S> batch, kept;
  CentredBatch<S> rows;
  std::vector<char> left_out;
  source.rewind();
  // Ranks that share the rows all read them; ranks with rows of their own add up what they have.
  const bool own = options.communicator && options.rank_rows == RankRows::own;
  Index first_row = 0;
  if (own && options.held_out > 0) first_row = rows_before(source, *options.communicator);
  while (source.read(kRows, batch) > 0) {
    options.cancel.throw_if_requested();
    left_out.assign(static_cast<std::size_t>(batch.rows()), 0);
    mark_weightless(batch, options, left_out);
    transform.check(batch, left_out);
    mark_held_out(batch, first_row, options, left_out);
    remove_marked(batch, left_out, kept);
    if (batch.rows() == 0) continue;
    transform.apply(batch, rows);
    weigh(rows.batch, options);
    scores.resize(rows.rows(), cross.cols());
    rows.times(view.weights, scores);
    rows.transpose_times(scores, part, S(1), S(0));
    cross += part.template cast<double>();
  }
  if (own) reduce(*options.communicator, cross);
  for (const Index column : view.dropped) cross.row(column).setZero();
  const Matrix<double> moments = view.weights.template cast<double>().transpose() * cross;
  return cross * inverse(moments);
}

template Matrix<double> loadings_of<float>(Source<float>&, const FittedView<float>&, const FitOptions&);
template Matrix<double> loadings_of<double>(Source<double>&, const FittedView<double>&, const FitOptions&);

}  // namespace landfall
