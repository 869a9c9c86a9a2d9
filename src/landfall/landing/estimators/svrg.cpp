#include <landfall/landing/estimators/svrg.hpp>

namespace landfall {

template <class S>
void SvrgEstimator<S>::start(Samples<S>& samples, const SamplingOptions& options) {
  every_ = options.snapshot_every;
  next_ = 0;
  for (Point<S>* point : {&snapshot_, &snapshot_g_, &snapshot_y_, &g_, &at_snapshot_, &y_, &difference_})
    resize(*point, samples.shapes());
}

template <class S>
void SvrgEstimator<S>::before_batch(const Point<S>& x, SampleReader<S>& reader) {
  if (reader.passes() < next_) return;
  snapshot_ = x;
  for (auto* point : {&snapshot_g_, &snapshot_y_})
    for (auto& block : *point) block.setZero();
  reader.next_pass();
  const S total = static_cast<S>(reader.samples().count());
  while (const Index rows = reader.draw()) {
    reader.evaluate(0, rows, x, &g_, &y_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      snapshot_g_[i] += static_cast<S>(rows) / total * g_[i];
      snapshot_y_[i] += static_cast<S>(rows) / total * y_[i];
    }
  }
  reader.next_pass();
  next_ = reader.passes() + every_;
}

template <class S>
double SvrgEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                  FieldBuilder<S>& field) {
  for (std::size_t i = 0; i < x.size(); ++i) difference_[i] = x[i] - snapshot_[i];
  const double value = reader.evaluate(0, rows, x, &g_, nullptr);
  reader.evaluate(0, rows, snapshot_, &at_snapshot_, nullptr);
  reader.evaluate(0, rows, difference_, nullptr, &y_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    g_[i] += snapshot_g_[i] - at_snapshot_[i];
    y_[i] += snapshot_y_[i];
    field.add(i, g_[i], y_[i], y_[i], field.out().lambda[i]);
  }
  return value;
}

template <class S>
void SvrgEstimator<S>::state(State& state) {
  state(snapshot_, snapshot_g_, snapshot_y_, next_);
}

template class SvrgEstimator<float>;
template class SvrgEstimator<double>;

}  // namespace landfall
