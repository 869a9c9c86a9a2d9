// Batch after batch of samples, pass after pass, with counts of what was read and evaluated.
//
//   landfall::SampleReader<double> reader(samples, 128);
//   const landfall::Index drawn = reader.draw();                     // 0 at the end of a pass
//   reader.evaluate(0, drawn, point, &gradient, &bx);
//   use(reader.passes(), reader.counts().products);
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/landing/samples.hpp>
#include <landfall/linalg/state.hpp>

#include <memory>

namespace landfall {

template <class S>
class SampleReader {
 public:
  /// Starts the first pass.
  SampleReader(std::shared_ptr<Samples<S>> samples, Index batch);

  /// Other samples from here on, from their first pass.
  void change(std::shared_ptr<Samples<S>> samples, Index batch);

  Samples<S>& samples() const { return *samples_; }
  Index batch() const { return batch_; }

  /// The next batch; 0 at the end of the pass.
  Index draw();
  void next_pass() { begin_pass(pass_ + 1); }
  /// Starts anew, as if nothing had been read.
  void restart();

  /// samples().evaluate(), counted.
  double evaluate(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx);
  /// For evaluations by other means: so many gradients and products with B.
  void count(std::uint64_t gradients, std::uint64_t products);

  double passes() const { return static_cast<double>(seen_) / static_cast<double>(samples_->count()); }
  const Counts& counts() const { return counts_; }

  /// Read back, it continues with the batch after the last one drawn.
  void state(State& state);

 private:
  void begin_pass(std::uint64_t pass);

  std::shared_ptr<Samples<S>> samples_;
  Index batch_;
  std::uint64_t pass_ = 0;
  Index seen_ = 0;
  Index drawn_ = 0;  // batches of this pass
  Counts counts_;
};

extern template class SampleReader<float>;
extern template class SampleReader<double>;

}  // namespace landfall
