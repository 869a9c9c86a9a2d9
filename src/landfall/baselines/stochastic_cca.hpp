// What the methods for CCA that use one batch at a time share: landing's baselines on a stream of two views.
//
//   #include <landfall/baselines/cca_ey.hpp>
//   landfall::StochasticCcaOptions options{.components = 5, .learning_rate = 1e-2, .ridge = 1e-3};
//   landfall::CcaEy<float> method(options, {.optimizer = landfall::Optimizer::adam});
//   const auto result = landfall::learn<float>(method, stream, options);
//   use(result.x[0], result.x[1], result.history);    // any basis: canonical.hpp orders and normalises it
//
// A pass over the stream hands out the batches that landing gets in the pass of that number with that seed.
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/result.hpp>
#include <landfall/landing/step.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace landfall {

struct StochasticCcaOptions {
  Index components = 1;                    // p
  double learning_rate = 1e-2;             // of the first step
  Schedule schedule = Schedule::constant;  // cosine: to 0 over the passes
  std::vector<double> milestones = {};     // passes after which the rate is divided by ten
  int passes = 1;                          // over the training rows
  double ridge = 0;                        // absolute, of both views
  std::optional<double> right_ridge = {};  // of the right view, where it is another
  std::uint64_t seed = 0;                  // of the start; that of the batches is the stream's

  double ridge_of(std::size_t view) const { return view == 1 ? right_ridge.value_or(ridge) : ridge; }
};

/// Throws UsageError naming the field that is wrong.
void validate(const StochasticCcaOptions& options);

template <class S>
class StochasticCca {
 public:
  virtual ~StochasticCca() = default;

  /// Moves X and Y by what the rows of a batch say; returns the method's objective on them before that.
  virtual double step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) = 0;

  /// X and Y; empty before the first step.
  const Point<S>& x() const { return x_; }

 protected:
  Point<S> x_;
};

/// Random X and Y, each orthonormal on a batch: X'(S_b + ridge I)X = I. Throws NumericalError, naming the
/// method, where the batch is too small for that.
template <class S>
Point<S> orthonormal_on(std::span<const CentredBatch<S>* const> views, const StochasticCcaOptions& options,
                        std::string_view method);

/// Called after every step; false ends the run.
template <class S>
using StepObserver = std::function<bool(const Progress&, const Point<S>&)>;

/// The whole run: a step, which returns the objective, for every batch, with the rate of the schedule; x is
/// what the steps move. One record of the history per pass, with the mean of the objective over its batches.
template <class S>
Result<S> learn_by_steps(DataStream<S>& stream, const StochasticCcaOptions& options,
                         const std::function<double(double rate)>& step, const Point<S>& x,
                         const StepObserver<S>& observer = {});
template <class S>
Result<S> learn(StochasticCca<S>& method, DataStream<S>& stream, const StochasticCcaOptions& options,
                const StepObserver<S>& observer = {});

#define LANDFALL_STOCHASTIC_CCA(EXTERN, S)                                                           \
  EXTERN template Point<S> orthonormal_on<S>(std::span<const CentredBatch<S>* const>,                \
                                             const StochasticCcaOptions&, std::string_view);         \
  EXTERN template Result<S> learn_by_steps<S>(DataStream<S>&, const StochasticCcaOptions&,           \
                                              const std::function<double(double)>&, const Point<S>&, \
                                              const StepObserver<S>&);                               \
  EXTERN template Result<S> learn<S>(StochasticCca<S>&, DataStream<S>&, const StochasticCcaOptions&, \
                                     const StepObserver<S>&);
LANDFALL_STOCHASTIC_CCA(extern, float)
LANDFALL_STOCHASTIC_CCA(extern, double)

}  // namespace landfall
