// How the landing field is estimated from batches of samples: one class per estimator, made by name.
//
//   auto estimator = landfall::make_estimator<double>(landfall::Estimator::split);
//   estimator->start(*samples, {.batch = 128});
//   use(estimator->least_batch());
#pragma once

#include <landfall/landing/estimators/field_builder.hpp>
#include <landfall/landing/estimators/sample_reader.hpp>
#include <landfall/linalg/state.hpp>

#include <memory>
#include <string_view>

namespace landfall {

enum class Estimator {
  shared,     // one batch for the gradient and both B: BIASED, what the authors' code does
  split,      // disjoint parts of the batch, symmetrised: unbiased
  ustat,      // all distinct triples of the batch: unbiased, linear samples only
  svrg,       // differences to a snapshot with its full products: variance and bias vanish as X nears it
  averaged,   // rolling second moments, exact after the first pass: n^2 memory, linear samples only
  recursive,  // the mean of all batches so far, carried along with X: variance and bias vanish
};

std::string_view to_string(Estimator estimator);
Estimator parse_estimator(std::string_view name);

struct SamplingOptions {
  Estimator estimator = Estimator::split;
  Index batch = 128;          // samples per step
  double snapshot_every = 1;  // svrg: passes between snapshots
  /// recursive: the variance of the mean over one pass, in units of one sample's; 0 when the samples are all
  /// there are, 1/m when they are m of many.
  double pass_variance = 0;
};

template <class S>
class RecursiveMean;

template <class S>
class FieldEstimator {
 public:
  virtual ~FieldEstimator() = default;

  /// Starts with these samples, or continues with them what it has learnt from others of the same f and B.
  /// UsageError where it cannot use them.
  virtual void start(Samples<S>& samples, const SamplingOptions& options) = 0;

  /// The smallest batch it can use.
  virtual Index least_batch() const { return 1; }

  /// Before a batch is drawn for the field at x.
  virtual void before_batch(const Point<S>&, SampleReader<S>&) {}

  /// Adds the field of every block at x, from the `rows` samples of the current batch; returns f.
  virtual double estimate(const Point<S>& x, Index rows, SampleReader<S>& reader, FieldBuilder<S>& field) = 0;

  /// All samples of a pass were drawn.
  virtual void end_pass() {}

  /// Null for all but Estimator::recursive.
  virtual const RecursiveMean<S>* recursive() const { return nullptr; }

  /// What it has learnt, for checkpoints.
  virtual void state(State&) {}
};

template <class S>
std::unique_ptr<FieldEstimator<S>> make_estimator(Estimator estimator);

/// Throws UsageError unless the samples are linear: B_i = a_i a_i', grad f_i = a_i b_i'.
template <class S>
LinearSamples<S>& require_linear(Samples<S>& samples, Estimator estimator);

#define LANDFALL_ESTIMATOR(EXTERN, S)                                              \
  EXTERN template std::unique_ptr<FieldEstimator<S>> make_estimator<S>(Estimator); \
  EXTERN template LinearSamples<S>& require_linear<S>(Samples<S>&, Estimator);
LANDFALL_ESTIMATOR(extern, float)
LANDFALL_ESTIMATOR(extern, double)

}  // namespace landfall
