#include <landfall/data/batch.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>

#include <fmt/format.h>

namespace landfall {

template <class S>
void Batch<S>::start_dense(Index cols) {
  cols_ = cols;
  sparse_ = false;
  numbers_.clear();
  values_.clear();
}

template <class S>
void Batch<S>::start_sparse(Index cols) {
  start_dense(cols);
  sparse_ = true;
  columns_.clear();
  starts_.assign(1, 0);
}

template <class S>
std::span<S> Batch<S>::add_row(Index number) {
  numbers_.push_back(number);
  values_.resize(values_.size() + static_cast<std::size_t>(cols_), S(0));
  return std::span(values_).last(static_cast<std::size_t>(cols_));
}

template <class S>
void Batch<S>::add_sparse_row(Index number) {
  numbers_.push_back(number);
  starts_.push_back(starts_.back());
}

template <class S>
void Batch<S>::add_entry(Index col, S value) {
  columns_.push_back(col);
  values_.push_back(value);
  ++starts_.back();
}

template <class S>
void Batch<S>::times(In<S> x, Out<S> out) const {
  if (x.rows() != cols_ || out.rows() != rows() || out.cols() != x.cols())
    throw UsageError(fmt::format("a batch of {}x{} times {}x{} into {}x{}", rows(), cols_, x.rows(), x.cols(),
                                 out.rows(), out.cols()));
  if (!sparse_) {
    multiply_at<S>(dense(), x, out);
    return;
  }
  out.setZero();
  for (Index j = 0; j < x.cols(); ++j)
    for (Index i = 0; i < rows(); ++i) {
      S sum = 0;
      for (Index k = starts_[static_cast<std::size_t>(i)]; k < starts_[static_cast<std::size_t>(i) + 1]; ++k)
        sum += values_[static_cast<std::size_t>(k)] * x(columns_[static_cast<std::size_t>(k)], j);
      out(i, j) = sum;
    }
}

template <class S>
void Batch<S>::transpose_times(In<S> w, Out<S> out, S scale, S beta) const {
  if (w.rows() != rows() || out.rows() != cols_ || out.cols() != w.cols())
    throw UsageError(fmt::format("the transpose of a batch of {}x{} times {}x{} into {}x{}", rows(), cols_,
                                 w.rows(), w.cols(), out.rows(), out.cols()));
  if (!sparse_) {
    multiply<S>(dense(), w, out, scale, beta);
    return;
  }
  if (beta == 0)
    out.setZero();
  else
    out *= beta;
  for (Index j = 0; j < w.cols(); ++j)
    for (Index i = 0; i < rows(); ++i) {
      const S weight = scale * w(i, j);
      for (Index k = starts_[static_cast<std::size_t>(i)]; k < starts_[static_cast<std::size_t>(i) + 1]; ++k)
        out(columns_[static_cast<std::size_t>(k)], j) += weight * values_[static_cast<std::size_t>(k)];
    }
}

template class Batch<float>;
template class Batch<double>;

}  // namespace landfall
