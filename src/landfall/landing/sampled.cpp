#include <landfall/errors.hpp>
#include <landfall/landing/restore.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
std::shared_ptr<Samples<S>> checked(std::shared_ptr<Samples<S>> samples, std::size_t fields) {
  if (!samples) throw UsageError("a sampled oracle needs samples");
  if (fields != samples->shapes().size())
    throw UsageError(fmt::format("{} field options for {} blocks", fields, samples->shapes().size()));
  return samples;
}

}  // namespace

template <class S>
SampledOracle<S>::SampledOracle(std::shared_ptr<Samples<S>> samples, SamplingOptions options,
                                std::vector<FieldOptions<S>> fields)
    : options_(options),
      builder_(std::move(fields)),
      reader_(checked(std::move(samples), builder_.options().size()), options.batch),
      estimator_(make_estimator<S>(options.estimator)) {
  start_estimator();
  estimate_scales();
}

template <class S>
void SampledOracle<S>::start_estimator() {
  if (options_.batch < 1) throw UsageError(fmt::format("batch must be at least 1, got {}", options_.batch));
  estimator_->start(reader_.samples(), options_);
  const Index most = std::min(options_.batch, reader_.samples().count()), least = estimator_->least_batch();
  if (most < least)
    throw UsageError(fmt::format("the {} estimator needs batches of at least {}, got {}",
                                 to_string(options_.estimator), least, most));
}

template <class S>
void SampledOracle<S>::continue_with(std::shared_ptr<Samples<S>> samples, SamplingOptions options) {
  if (!samples || samples->shapes() != shapes() || options.estimator != options_.estimator)
    throw UsageError("a run continues with samples of the same shapes and with the same estimator");
  estimator_->end_pass();
  options_ = options;
  reader_.change(std::move(samples), options.batch);
  start_estimator();
}

/// beta_1 of each B for the normal term 2BXH, by a block power iteration on the first batch; 2XH needs none.
template <class S>
void SampledOracle<S>::estimate_scales() {
  const auto& fields = builder_.options();
  if (std::ranges::all_of(fields, [](const auto& f) { return f.normal == Normal::newton; })) return;
  constexpr int iterations = 20;
  Samples<S>& samples = reader_.samples();
  samples.begin_pass(0);
  const Index rows = samples.draw(std::max<Index>(options_.batch, 512));
  Point<S> x, bx;
  resize(x, shapes());
  resize(bx, shapes());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = gaussian<S>(x[i].rows(), x[i].cols(), {0, 0xbe7a + i});
  for (int k = 0; k < iterations; ++k) {
    for (auto& block : x)
      for (Index j = 0; j < block.cols(); ++j) block.col(j).normalize();
    reader_.evaluate(0, rows, x, nullptr, &bx);
    std::swap(x, bx);
  }
  std::vector<double> scales(fields.size(), 1.0);
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].normal == Normal::gradient)
      scales[i] = static_cast<double>(x[i].colwise().norm().maxCoeff());
  builder_.set_scales(std::move(scales));
  reader_.restart();
}

template <class S>
Index SampledOracle<S>::draw() {
  for (;;) {
    const Index rows = reader_.draw();
    if (rows >= estimator_->least_batch()) return rows;
    if (rows > 0) continue;
    estimator_->end_pass();
    reader_.next_pass();
  }
}

template <class S>
void SampledOracle<S>::field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  estimator_->before_batch(x, reader_);
  const Index rows = draw();
  builder_.start(x, pull, out);
  out.objective = estimator_->estimate(x, rows, reader_, builder_);
  builder_.finish();
}

template <class S>
Restoration SampledOracle<S>::restore(Point<S>& x, double epsilon) {
  // On one batch, several times p so that its X'BX resembles the true one; the passes start afresh
  // afterwards.
  if (recursive() && !recursive()->empty()) return {};  // a run that continues
  Index components = 0;
  for (const auto& block : x) components = std::max(components, block.cols());
  Samples<S>& samples = reader_.samples();
  samples.begin_pass(0);
  const Index rows = samples.draw(std::max(options_.batch, 20 * components));
  // A batch cannot tell less from the identity: for Gaussian data E||H||^2 = p(p+1)/r at a feasible X.
  const double p = static_cast<double>(components),
               noise = 3 * std::sqrt(p * (p + 1) / static_cast<double>(rows));
  Restoration total;
  const double share = std::max(epsilon / std::sqrt(static_cast<double>(x.size())), noise);
  Point<S> bx;
  resize(bx, shapes());
  for (std::size_t i = 0; i < x.size(); ++i) {
    Point<S> at = x;  // restore() runs once, before the first step
    const auto done = restore_stiefel<S>(x[i], share, [&](const Matrix<S>& block, Matrix<S>& y) {
      at[i] = block;
      reader_.evaluate(0, rows, at, nullptr, &bx);
      y = bx[i];
    });
    total.steps = std::max(total.steps, done.steps);
    total.from = std::hypot(total.from, done.from);
    total.to = std::hypot(total.to, done.to);
    total.noise = std::hypot(total.noise, noise);
  }
  reader_.restart();
  return total;
}

template <class S>
void SampledOracle<S>::state(State& state) {
  reader_.state(state);
  estimator_->state(state);
}

template class SampledOracle<float>;
template class SampledOracle<double>;

}  // namespace landfall
