#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>

#include <algorithm>
#include <numeric>

namespace landfall {

std::vector<Index> shuffled_rows(Index rows, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  // Fisher and Yates, two places from each block of random words.
  Index left = rows;
  for (std::uint64_t block = 0; left > 1; ++block) {
    const auto words = random_words({seed, 0x6b657074}, block);
    for (std::size_t half = 0; half < 2 && left > 1; ++half, --left) {
      const std::uint64_t word = static_cast<std::uint64_t>(words[2 * half]) << 32 | words[2 * half + 1];
      const std::size_t place = word % static_cast<std::uint64_t>(left);
      std::swap(order[place], order[static_cast<std::size_t>(left - 1)]);
    }
  }
  return order;
}

template <class S>
InMemoryBatches<S> read_into_memory(Source<S>& source, const Transform<S>& transform,
                                    std::span<const Index> rows, Index batch,
                                    const Communicator& communicator) {
  InMemoryBatches<S> batches;
  Batch<S> raw;
  std::vector<char> drop;
  for (std::size_t first = 0; first < rows.size(); first += static_cast<std::size_t>(batch)) {
    const auto all = static_cast<Index>(std::min(static_cast<std::size_t>(batch), rows.size() - first));
    const RankSlice own = slice(communicator.rank(), communicator.size(), all);
    const auto count = static_cast<std::size_t>(own.size());
    source.read_rows(rows.subspan(first + static_cast<std::size_t>(own.first), count), raw);
    drop.assign(count, 0);
    transform.check(raw, drop);
    transform.apply(raw, batches.emplace_back(1).front());
  }
  return batches;
}

template <class S>
void double_scores(const CentredBatch<S>& rows, const Matrix<double>& x, Out<double> scores) {
  if (rows.batch.sparse()) {
    Matrix<S> part(rows.rows(), x.cols());
    rows.times(x.template cast<S>(), part);
    scores = part.template cast<double>();
  } else {
    const Matrix<double> columns = rows.batch.dense().template cast<double>();
    multiply_at<double>(columns, x, scores);
  }
}

namespace {

/// Calls fill(batch, rows) for the rows of each batch among those of all ranks; returns the sum over the ranks.
template <class S, class Fill>
Matrix<double> rows_of_all(const InMemoryBatches<S>& batches, Index columns, Communicator& communicator,
                           Fill fill) {
  const Index ranks = communicator.size();
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> counts(ranks, static_cast<Index>(batches.size()));
  counts.setZero();
  for (std::size_t b = 0; b < batches.size(); ++b)
    counts(communicator.rank(), static_cast<Index>(b)) = batches[b].front().rows();
  reduce(communicator, counts);
  Matrix<double> all = Matrix<double>::Zero(counts.sum(), columns);
  Index start = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const auto of_ranks = counts.col(static_cast<Index>(b));
    const Index at = start + of_ranks.head(communicator.rank()).sum();
    start += of_ranks.sum();
    const Index count = batches[b].front().rows();
    if (count > 0) fill(batches[b].front(), all.middleRows(at, count));
  }
  reduce(communicator, all);
  return all;
}

}  // namespace

template <class S>
Matrix<double> scores_of_all(const InMemoryBatches<S>& batches, const Matrix<double>& x,
                             Communicator& communicator) {
  return rows_of_all(batches, x.cols(), communicator,
                     [&](const CentredBatch<S>& batch, auto scores) { double_scores<S>(batch, x, scores); });
}

template <class S>
Vector<double> roots_of_all(const InMemoryBatches<S>& batches, Communicator& communicator) {
  const Vector<double> roots = rows_of_all(
      batches, 1, communicator,
      [](const CentredBatch<S>& batch, auto scores) { scores = batch.roots().template cast<double>(); });
  return (roots.array() == 1).all() ? Vector<double>() : roots;
}

LANDFALL_KEPT_ROWS(, float)
LANDFALL_KEPT_ROWS(, double)

}  // namespace landfall
