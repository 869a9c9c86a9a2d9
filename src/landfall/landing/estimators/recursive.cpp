#include <landfall/landing/estimators/recursive.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {
namespace {

// What carrying adds to an estimate of a whole pass is counted this many times: it then stands alone, with no
// sampling error beside it to hide an underestimate. 4 to 16 served alike on four splits of images.
constexpr double kCarryingMargin = 8;

}  // namespace

template <class S>
RecursiveMean<S>::RecursiveMean(const std::vector<Shape>& shapes) {
  for (Estimate* estimate : {&working_, &pass_, &now_, &before_}) {
    resize(estimate->gradient, shapes);
    resize(estimate->bx, shapes);
  }
}

/// E <- (1 - g) (E - before) + now.
template <class S>
void RecursiveMean<S>::blend(Estimate& estimate, double gain) const {
  const S keep = static_cast<S>(1 - gain);
  if (keep == 0) {
    estimate.gradient = now_.gradient;
    estimate.bx = now_.bx;
    estimate.objective = now_.objective;
    return;
  }
  for (std::size_t i = 0; i < now_.bx.size(); ++i) {
    estimate.gradient[i] = keep * (estimate.gradient[i] - before_.gradient[i]) + now_.gradient[i];
    estimate.bx[i] = keep * (estimate.bx[i] - before_.bx[i]) + now_.bx[i];
  }
  estimate.objective = (1 - gain) * (estimate.objective - before_.objective) + now_.objective;
}

template <class S>
double RecursiveMean<S>::add(Samples<S>& samples, Index rows, const Point<S>& x, double moved) {
  const double r = static_cast<double>(rows), carried = moved * moved / r;
  now_.objective = samples.evaluate(0, rows, x, &now_.gradient, &now_.bx);
  if (empty()) {
    blend(working_, 1);
    working_.variance = 1 / r;
    previous_ = x;
  } else {
    before_.objective = samples.evaluate(0, rows, previous_, &before_.gradient, &before_.bx);
    const double v = working_.variance + carried, gain = v / (v + 1 / r);
    blend(working_, gain);
    working_.variance = gain / r;
    for (std::size_t i = 0; i < x.size(); ++i) previous_[i] = x[i];
  }

  const double share = r / (r + static_cast<double>(in_pass_));
  blend(pass_, share);
  pass_.variance = (1 - share) * (1 - share) * (pass_.variance + kCarryingMargin * carried);
  in_pass_ += rows;
  return working_.objective;
}

template <class S>
void RecursiveMean<S>::end_pass(double variance) {
  if (in_pass_ > 0 && pass_.variance + variance < working_.variance) {
    std::swap(working_, pass_);
    working_.variance += variance;
  }
  working_.variance = std::max(working_.variance, variance);
  pass_.variance = 0;
  in_pass_ = 0;
}

template <class S>
void RecursiveMean<S>::state(State& state) {
  for (Estimate* estimate : {&working_, &pass_})
    state(estimate->gradient, estimate->bx, estimate->objective, estimate->variance);
  state(previous_, in_pass_);
}

template <class S>
void RecursiveEstimator<S>::start(Samples<S>& samples, const SamplingOptions& options) {
  pass_variance_ = options.pass_variance;
  if (mean_) return;
  mean_.emplace(samples.shapes());
  resize(difference_, samples.shapes());
}

template <class S>
double RecursiveEstimator<S>::estimate(const Point<S>& x, Index rows, SampleReader<S>& reader,
                                       FieldBuilder<S>& field) {
  const double value = mean_->add(reader.samples(), rows, x, relative_move(x, field.options()));
  reader.count(2, 2 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    field.add(i, mean_->gradient()[i], mean_->bx()[i], mean_->bx()[i], field.out().lambda[i]);
  return value;
}

/// ||X - X_last|| / ||X|| in the metric of K^-1, where ||X|| is about sqrt(p); the largest over the blocks.
template <class S>
double RecursiveEstimator<S>::relative_move(const Point<S>& x, const std::vector<FieldOptions<S>>& fields) {
  if (mean_->empty()) return 0;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Preconditioner<S>* metric = fields[i].preconditioner.get();
    difference_[i] = x[i] - mean_->previous()[i];
    const double size = metric_norm<S>(metric, difference_[i], work_);
    const double scale =
        metric ? std::sqrt(static_cast<double>(x[i].cols())) : static_cast<double>(x[i].stableNorm());
    if (scale > 0) largest = std::max(largest, size / scale);
  }
  return largest;
}

LANDFALL_RECURSIVE(, float)
LANDFALL_RECURSIVE(, double)

}  // namespace landfall
