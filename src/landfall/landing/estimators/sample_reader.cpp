#include <landfall/landing/estimators/sample_reader.hpp>

namespace landfall {

template <class S>
SampleReader<S>::SampleReader(std::shared_ptr<Samples<S>> samples, Index batch)
    : samples_(std::move(samples)), batch_(batch) {
  begin_pass(0);
}

template <class S>
void SampleReader<S>::change(std::shared_ptr<Samples<S>> samples, Index batch) {
  samples_ = std::move(samples);
  batch_ = batch;
  restart();
}

template <class S>
void SampleReader<S>::begin_pass(std::uint64_t pass) {
  samples_->begin_pass(pass_ = pass);
  drawn_ = 0;
}

template <class S>
void SampleReader<S>::restart() {
  begin_pass(0);
  seen_ = 0;
}

template <class S>
Index SampleReader<S>::draw() {
  const Index rows = samples_->draw(batch_);
  ++drawn_;
  seen_ += rows;
  return rows;
}

template <class S>
double SampleReader<S>::evaluate(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                                 Point<S>* bx) {
  count(gradient ? 1 : 0, bx ? x.size() : 0);
  return samples_->evaluate(first, last, x, gradient, bx);
}

template <class S>
void SampleReader<S>::count(std::uint64_t gradients, std::uint64_t products) {
  counts_.gradients += gradients;
  counts_.products += products;
}

template <class S>
void SampleReader<S>::state(State& state) {
  state(pass_, seen_, drawn_, counts_.products, counts_.gradients);
  if (!state.loading()) return;
  samples_->begin_pass(pass_);
  for (Index i = 0; i < drawn_; ++i) samples_->draw(batch_);
}

template class SampleReader<float>;
template class SampleReader<double>;

}  // namespace landfall
