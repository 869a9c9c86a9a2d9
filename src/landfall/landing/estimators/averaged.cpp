#include <landfall/landing/estimators/averaged.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>

namespace landfall {

template <class S>
void AveragedEstimator<S>::start(Samples<S>& samples, const SamplingOptions&) {
  linear_ = &require_linear(samples, Estimator::averaged);
  resize(g_, samples.shapes());
  resize(y_, samples.shapes());
  Index n = 0;
  for (const auto& shape : samples.shapes()) n += shape.rows;
  if (moments_.size() == 0) moments_.setZero(n, n);
}

/// Every sample once: the moments are those of the whole data after the first pass.
template <class S>
void AveragedEstimator<S>::absorb(Index rows) {
  absorbed_ += rows;
  if (linear_->batch(0).cols() == 0) return;  // all of them are on other ranks
  Index row = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    Index col = 0;
    for (std::size_t j = 0; j < y_.size(); ++j) {
      const auto &left = linear_->batch(i), &right = linear_->batch(j);
      multiply_bt<S>(left, right, moments_.block(row, col, left.rows(), right.rows()), 1, 1);
      col += right.rows();
    }
    row += linear_->batch(i).rows();
  }
}

template <class S>
double AveragedEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                      FieldBuilder<S>& field) {
  if (absorbed_ < linear_->count()) absorb(rows);
  const Matrix<S>& coupling = linear_->objective().coupling;
  const double value = reader.evaluate(0, rows, x, &g_, nullptr);
  reader.count(0, x.size());
  const S scale = S(1) / static_cast<S>(absorbed_);
  Index row = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y_[i] = linear_->own_ridge(i) * x[i];
    if (coupling.size() > 0) g_[i].setZero();
    Index col = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto moment = moments_.block(row, col, x[i].rows(), x[j].rows());
      if (i == j) multiply<S>(moment, x[j], y_[i], scale, 1);
      if (coupling.size() > 0 && coupling(static_cast<Index>(i), static_cast<Index>(j)) != 0)
        multiply<S>(moment, x[j], g_[i], scale * coupling(static_cast<Index>(i), static_cast<Index>(j)), 1);
      col += x[j].rows();
    }
    row += x[i].rows();
  }
  reduce(linear_->communicator(), y_);
  if (coupling.size() > 0) reduce(linear_->communicator(), g_);
  for (std::size_t i = 0; i < x.size(); ++i) field.add(i, g_[i], y_[i], y_[i], field.out().lambda[i]);
  return value;
}

template <class S>
void AveragedEstimator<S>::state(State& state) {
  state(moments_, absorbed_);
}

template class AveragedEstimator<float>;
template class AveragedEstimator<double>;

}  // namespace landfall
