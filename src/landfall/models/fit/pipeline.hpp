// One pipeline for every model: open, statistics, ridge, plan, solve (exact, landing or a baseline),
// evaluate, finish. A model supplies what is its own.
//
//   landfall::Model<float>* model = nullptr;    // CcaModel, LdaModel, IcaModel: private to their .cpp files
//   std::vector<landfall::SourcePtr<float>> sources;
//   landfall::FitResult<float> result;
//   landfall::fit_model<float>(*model, std::move(sources), {.components = 5}, result);
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/models/fit/defaults.hpp>
#include <landfall/models/fit/observer.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/timer.hpp>

namespace landfall {

/// What the stages of a fit share.
template <class S>
struct Fit {
  const FitOptions& options;
  DataStream<S>& stream;
  FitResult<S>& result;
  FitObserver<S>* observer;  // null: none
  Timer timer;
  Index components = 0;    // p
  double fading_rows = 0;  // c of Model::fading_ridge
  Workload work = {};

  std::vector<double> ridges() const;
  /// The same, but for landing never 0, which would leave X free where a view has no variance.
  std::vector<double> solver_ridges() const;
  /// Columns of each view that are not constant.
  std::vector<Index> features() const;
  bool exact() const { return result.method == FitMethod::exact; }
  /// For solvers: both observers.
  std::function<bool(const Progress&, const Point<S>&)> watch() const;
  /// The bookkeeping of a run that ended. NumericalError where it diverged.
  void record(Result<S>& run);
};

/// Directions in the coordinates of the stream.
template <class S>
struct Solved {
  Point<S> x;
  Point<S> gradient, bx;  // of landing: what its estimator knows at x; else empty
  bool ordered = false;   // the best columns are the first
};

template <class S>
class Model {
 public:
  virtual ~Model() = default;

  /// UsageError for options that this model does not take.
  virtual void validate(const FitOptions&) const {}
  /// Readings of its own before the method is chosen, such as the means of classes.
  virtual void begin(Fit<S>&) {}
  /// p for the non-constant columns; an error where the data does not allow it.
  virtual Index components(const FitOptions& options, const std::vector<Index>& features) const = 0;
  /// Of the columns where the ridge is automatic.
  virtual Scaling scaling() const { return Scaling::row_size; }
  /// The ridge where none is given. The stream is scaled by scaling(), p is known.
  virtual RidgeChoice automatic_ridge(Fit<S>&) { return {}; }
  /// c of a ridge for the first rows of landing, where these are few and all rows are not; 0: none.
  virtual double fading_ridge(Fit<S>&) { return 0; }
  /// What both methods would cost, with the sizes that landing would take.
  virtual Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p,
                            bool sparse, const SourceSample& sample) const = 0;

  /// Whose baselines it takes; unset: none.
  virtual std::optional<Problem> problem() const { return std::nullopt; }
  virtual bool has_exact() const { return true; }
  virtual Solved<S> exact(Fit<S>& fit);
  virtual Solved<S> baseline(Fit<S>& fit, const Baseline& baseline);
  virtual Solved<S> land(Fit<S>& fit) = 0;

  /// Evaluates on all rows, orders, fixes signs, fills the result.
  virtual void finish(Fit<S>& fit, Solved<S> solved) = 0;
};

template <class S>
void fit_model(Model<S>& model, std::vector<SourcePtr<S>> sources, const FitOptions& options,
               FitResult<S>& result, FitObserver<S>* observer = nullptr);

/// Landing tuned by the first rows. `mark`: of what a checkpoint must find unchanged beside the rows.
template <class S>
Solved<S> land_adaptively(Fit<S>& fit, const ScoreObjective<S>& objective, std::uint64_t mark = 0);

/// The workload of a model that carries `columns` columns, with the sizes that landing would take.
template <class S>
Workload landing_workload(const FitOptions& options, const std::vector<Index>& features, Index p,
                          Index columns, bool sparse, const SourceSample& sample);

/// The work that fitting these sources would be; reads their first rows.
template <class S>
Workload model_workload(const Model<S>& model, const std::vector<Source<S>*>& sources,
                        const FitOptions& options);

/// Options of a baseline.
template <class S>
BaselineOptions<S> baseline_options(const Fit<S>& fit, double passes);

/// NumericalError where a view has fewer columns than p.
void require_columns(const std::string& name, Index features, Index p);

#define LANDFALL_PIPELINE(EXTERN, S)                                                                        \
  EXTERN template struct Fit<S>;                                                                            \
  EXTERN template class Model<S>;                                                                           \
  EXTERN template void fit_model<S>(Model<S>&, std::vector<SourcePtr<S>>, const FitOptions&, FitResult<S>&, \
                                    FitObserver<S>*);                                                       \
  EXTERN template Solved<S> land_adaptively<S>(Fit<S>&, const ScoreObjective<S>&, std::uint64_t);           \
  EXTERN template Workload landing_workload<S>(const FitOptions&, const std::vector<Index>&, Index, Index,  \
                                               bool, const SourceSample&);                                  \
  EXTERN template Workload model_workload<S>(const Model<S>&, const std::vector<Source<S>*>&,               \
                                             const FitOptions&);                                            \
  EXTERN template BaselineOptions<S> baseline_options<S>(const Fit<S>&, double);
LANDFALL_PIPELINE(extern, float)
LANDFALL_PIPELINE(extern, double)

}  // namespace landfall
