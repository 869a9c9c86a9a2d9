#include <landfall/landing/estimators/shared.hpp>

namespace landfall {

template <class S>
void SharedEstimator<S>::start(Samples<S>& samples, const SamplingOptions&) {
  resize(g_, samples.shapes());
  resize(y_, samples.shapes());
}

template <class S>
double SharedEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                    FieldBuilder<S>& field) {
  const double value = reader.evaluate(0, rows, x, &g_, &y_);
  for (std::size_t i = 0; i < x.size(); ++i) field.add(i, g_[i], y_[i], y_[i], field.out().lambda[i]);
  return value;
}

template class SharedEstimator<float>;
template class SharedEstimator<double>;

}  // namespace landfall
