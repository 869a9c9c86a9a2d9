// Landing on an endless stream: one step per batch, a usable point at any time.
//
//   #include <landfall/data/rows/online_rows.hpp>
//   landfall::OnlineRows<float> rows({"left", "right"}, {.batch = 128});
//   auto first = std::make_shared<landfall::InMemorySamples<float>>(rows.first(),
//       std::vector<landfall::Index>{5, 5}, std::vector<float>{1e-3f, 1e-3f},
//       landfall::correlation_objective<float>());
//   auto pilot = landfall::estimate_pilot(*first, 0, 1);    // K, q and a start: adaptive.hpp
//   landfall::OnlineLanding<float> landing(first, pilot, nullptr, pilot.start, {.batch = 128});
//   while (rows.next()) landing.step(rows.centred());
//   use(landing.x(), landing.bx(), landing.gradient());    // B X and grad f from all rows so far
//
// For objectives of any kind, ICA's among them; landing/subspace does better where the gradient is linear in X.
// All that solve_adaptively() does but the cosine, which needs to know its end. The step fades instead:
//   eta_t = eta / sqrt(1 + t/t0),   t0 = 5 r^2 / (eta^2 q),
// t the rows since the first. An estimate of variance v (estimators/recursive.hpp) moves X by noise of size
// eta sqrt(q v), carrying it along adds eta^2 q v / r to v, and a batch takes r v^2 away: v = 1/t, that of a
// mean of all rows, needs eta below r / sqrt(q t).
#pragma once

#include <landfall/landing/adaptive.hpp>

namespace landfall {

struct OnlineLandingOptions {
  Index batch = 128;  // rows per step, after the first
  bool more = true;   // rows will follow; else X is fitted to the first alone
  double most_momentum = 0.9;
  double omega = 0.25;
  std::uint64_t seed = 0;
};

/// The batch that was handed over last. There are no passes: each batch counts as one.
template <class S>
class PushedSamples final : public ViewSamples<S> {
 public:
  PushedSamples(const InMemorySamples<S>& like, Index batch);

  Index count() const override { return batch_; }
  void begin_pass(std::uint64_t) override {}
  /// Swaps.
  void take(std::vector<CentredBatch<S>>& views) { std::swap(views, views_); }

  const CentredBatch<S>& view(std::size_t i) const override { return views_[i]; }

 protected:
  Index next_batch() override { return views_.front().rows(); }

 private:
  std::vector<CentredBatch<S>> views_;
  Index batch_;
};

template <class S>
class OnlineLanding {
 public:
  /// Continues from a warm-up on the first rows that ended at x, with the state of its oracle (null: none).
  OnlineLanding(const std::shared_ptr<InMemorySamples<S>>& first, const PilotEstimate<S>& pilot,
                std::unique_ptr<SampledOracle<S>> warm, Point<S> x, const OnlineLandingOptions& options);

  /// f has changed: the estimate restarts, at the same point, with the last batch.
  void forget();

  /// One step; what is in `views` afterwards is unspecified. NumericalError where the numbers are no longer
  /// finite.
  void step(std::vector<CentredBatch<S>>& views);

  /// The point that the last batch was seen at, and what all rows say there.
  const Point<S>& x() const { return oracle_->recursive()->previous(); }
  const Point<S>& bx() const { return oracle_->recursive()->bx(); }
  const Point<S>& gradient() const { return oracle_->recursive()->gradient(); }

  /// After a step, of an object that was made from the same first rows with the same options.
  void state(State& state);

  const Progress& progress() const { return progress_; }
  const AdaptiveChoice& choice() const { return choice_; }

 private:
  void go_on(const std::shared_ptr<InMemorySamples<S>>& first, Point<S> x,
             const OnlineLandingOptions& options);
  std::vector<FieldOptions<S>> fields() const;

  std::vector<PreconditionerPtr<S>> metric_;
  SamplingOptions sampling_;
  SolverOptions<S> solving_;
  std::shared_ptr<PushedSamples<S>> pushed_;
  std::unique_ptr<SampledOracle<S>> oracle_;
  std::unique_ptr<Solver<S>> solver_;
  Progress progress_;
  AdaptiveChoice choice_;
};

#define LANDFALL_ONLINE(EXTERN, S)        \
  EXTERN template class PushedSamples<S>; \
  EXTERN template class OnlineLanding<S>;
LANDFALL_ONLINE(extern, float)
LANDFALL_ONLINE(extern, double)

}  // namespace landfall
