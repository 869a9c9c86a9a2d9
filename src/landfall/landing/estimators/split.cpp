#include <landfall/landing/estimators/split.hpp>

namespace landfall {

template <class S>
void SplitEstimator<S>::start(Samples<S>& samples, const SamplingOptions&) {
  linear_ = samples.linear();
  for (Point<S>* point : {&g1_, &g2_, &y1_, &y2_, &other_}) resize(*point, samples.shapes());
}

template <class S>
double SplitEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                   FieldBuilder<S>& field) {
  const double value = linear_ ? halves(x, rows, reader, field) : thirds(x, rows, reader, field);
  Point<S>& lambda = field.out().lambda;
  for (std::size_t i = 0; i < x.size(); ++i) lambda[i] = (lambda[i] + other_[i]) / 2;
  return value;
}

template <class S>
double SplitEstimator<S>::halves(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                 FieldBuilder<S>& field) {
  const Index half = rows / 2;
  const double f1 = reader.evaluate(0, half, x, &g1_, &y1_), f2 = reader.evaluate(half, rows, x, &g2_, &y2_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const S ridge = linear_->ridge(i);
    field.add_sharing(i, half, ridge, g1_[i], y1_[i], y2_[i], field.out().lambda[i]);
    field.add_sharing(i, rows - half, ridge, g2_[i], y2_[i], y1_[i], other_[i]);
  }
  return (f1 + f2) / 2;
}

template <class S>
double SplitEstimator<S>::thirds(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                 FieldBuilder<S>& field) {
  const Index third = rows / 3;
  reader.evaluate(0, third, x, nullptr, &y1_);
  reader.evaluate(third, 2 * third, x, nullptr, &y2_);
  const double value = reader.evaluate(2 * third, rows, x, &g1_, nullptr);
  for (std::size_t i = 0; i < x.size(); ++i) {
    field.add(i, g1_[i], y1_[i], y2_[i], field.out().lambda[i]);
    field.add(i, g1_[i], y2_[i], y1_[i], other_[i]);
  }
  return value;
}

template class SplitEstimator<float>;
template class SplitEstimator<double>;

}  // namespace landfall
