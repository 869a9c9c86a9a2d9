#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/kept_rows.hpp>

#include <algorithm>

namespace landfall {

template <class S>
Matrix<double> kept_columns(const InMemoryBatches<S>& batches, std::size_t view, Index m) {
  const Index n = batches.front()[view].cols();
  if (n <= m) {
    Matrix<double> rows(m, n);
    DenseRows<S> dense;
    Index at = 0;
    for (const auto& batch : batches) {
      const auto columns = dense(batch[view]);
      rows.middleRows(at, columns.cols()) = columns.transpose().template cast<double>();
      at += columns.cols();
    }
    return rows;
  }
  Matrix<double> gram(m, m);
  Matrix<S> unit, columns, block;
  Index left = 0;
  for (const auto& one : batches) {
    const Index count = one[view].rows();
    unit.setIdentity(count, count);
    columns.resize(n, count);
    one[view].transpose_times(unit, columns, 1, 0);
    Index top = 0;
    for (const auto& other : batches) {
      block.resize(other[view].rows(), count);
      other[view].times(columns, block);
      gram.block(top, left, block.rows(), count) = block.template cast<double>();
      top += block.rows();
    }
    left += count;
  }
  symmetrize<double>(gram);
  SymmetricEigen<double> eigen;
  eigen.compute(gram);
  return eigen.vectors() * eigen.values().cwiseMax(0).cwiseSqrt().asDiagonal();
}

template <class S>
Vector<double> kept_roots(const InMemoryBatches<S>& batches) {
  std::vector<double> roots;
  for (const auto& batch : batches)
    roots.insert(roots.end(), batch[0].batch.roots().begin(), batch[0].batch.roots().end());
  return Eigen::Map<const Vector<double>>(roots.data(), static_cast<Index>(roots.size()));
}

void centre_rows(Matrix<double>& rows, const Vector<double>& roots) {
  if (roots.size() == 0)
    rows.rowwise() -= rows.colwise().mean().eval();
  else
    rows -= roots * (roots.transpose() * rows / roots.squaredNorm()).eval();
}

template <class S>
KeptRows keep_rows(DataStream<S>& stream, Index rows, std::uint64_t memory) {
  if (stream.communicator().size() > 1)
    throw UsageError("permutation tests and the bootstrap need all rows in one process, expected one rank");
  constexpr double kCopies = 4;  // as read, in double precision, and two of what they become
  double width = 0;
  for (std::size_t v = 0; v < 2; ++v) width += static_cast<double>(stream.transform(v).kept().size());
  const auto most = static_cast<Index>(static_cast<double>(memory) / (8 * kCopies * std::max(width, 1.0)));
  const auto batches = read_into_memory(stream, std::clamp<Index>(rows, 1, std::max<Index>(most, 64)));
  Index m = 0;
  for (const auto& batch : batches) m += batch[0].rows();
  if (m < 3) throw UsageError("permutation tests and the bootstrap need at least three rows");
  KeptRows kept{.left = kept_columns<S>(batches, 0, m),
                .right = kept_columns<S>(batches, 1, m),
                .complete = m >= rows,
                .wide_left = batches.front()[0].cols() > m,
                .wide_right = batches.front()[1].cols() > m,
                .roots = kept_roots<S>(batches)};
  for (auto* view : {&kept.left, &kept.right}) centre_rows(*view, kept.roots);
  return kept;
}

LANDFALL_KEPT_PAIRS(, float)
LANDFALL_KEPT_PAIRS(, double)

}  // namespace landfall
