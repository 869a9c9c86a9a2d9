#include <landfall/data/formats/matrix_market_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
MatrixRows<S> read_whole(const std::filesystem::path& path) {
  // How much memory the sizes in the file may ask for is judged by the file's length.
  if (path == "-") throw UsageError("standard input: a Matrix Market file must be given by name");
  LineReader lines(path);
  return read_matrix_market_rows<S>(lines);
}

}  // namespace

template <class S>
MatrixMarketSource<S>::MatrixMarketSource(const std::filesystem::path& path)
    : name_(path.string()), matrix_(read_whole<S>(path)) {}

template <class S>
std::optional<Index> MatrixMarketSource<S>::rows() const {
  return std::visit([](const auto& m) { return Index{m.rows()}; }, matrix_);
}

template <class S>
Index MatrixMarketSource<S>::cols() const {
  return std::visit([](const auto& m) { return Index{m.cols()}; }, matrix_);
}

template <class S>
void MatrixMarketSource<S>::start(Batch<S>& batch) const {
  if (sparse())
    batch.start_sparse(cols());
  else
    batch.start_dense(cols());
}

template <class S>
void MatrixMarketSource<S>::add(Index row, Batch<S>& batch) const {
  if (const auto* dense = std::get_if<RowMatrix<S>>(&matrix_)) {
    const S* from = dense->data() + row * dense->cols();
    std::copy(from, from + dense->cols(), batch.add_row(row).begin());
    return;
  }
  batch.add_sparse_row(row);
  using Sparse = Eigen::SparseMatrix<S, Eigen::RowMajor>;
  for (typename Sparse::InnerIterator entry(std::get<Sparse>(matrix_), row); entry; ++entry)
    batch.add_entry(entry.col(), entry.value());
}

template <class S>
Index MatrixMarketSource<S>::read(Index count, Batch<S>& batch) {
  start(batch);
  for (const Index end = row_ + std::min(count, *rows() - row_); row_ < end; ++row_) add(row_, batch);
  return batch.rows();
}

template <class S>
void MatrixMarketSource<S>::read_rows(std::span<const Index> wanted, Batch<S>& batch) {
  start(batch);
  for (const Index row : wanted) {
    if (row < 0 || row >= *rows())
      throw UsageError(fmt::format("{}: row {}, expected 0 to {}", name_, row, *rows() - 1));
    add(row, batch);
  }
}

template class MatrixMarketSource<float>;
template class MatrixMarketSource<double>;

}  // namespace landfall
