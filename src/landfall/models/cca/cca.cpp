#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/cca_baseline.hpp>
#include <landfall/models/cca/cca_columns.ipp>
#include <landfall/models/cca/cca_resampling.ipp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/cca/ridge_choice.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/fit_together.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/fit/warnings.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kMostPairs = 10;  // where p is not given
constexpr int kFolds = 5;
constexpr Index kPilotBatch = 1024;
/// Pivots of B, as fractions of its diagonal, below which rounding of the covariances shows in the sixth digit of a correlation.
constexpr double kLeastPivot = 1e-8;

CanonicalMoments rotated(const CanonicalMoments& moments, const Matrix<double>& u, const Matrix<double>& v) {
  return {u.transpose() * moments.left * u,
          v.transpose() * moments.right * v,
          u.transpose() * moments.cross * v,
          moments.rows,
          moments.left_mean.size() ? Vector<double>(u.transpose() * moments.left_mean) : Vector<double>(),
          moments.right_mean.size() ? Vector<double>(v.transpose() * moments.right_mean) : Vector<double>()};
}

CanonicalMoments with_ridge(CanonicalMoments moments, const Point<double>& x,
                            const std::vector<double>& ridge) {
  moments.left += ridge[0] * x[0].transpose() * x[0];
  moments.right += ridge[1] * x[1].transpose() * x[1];
  return moments;
}

/// Fewer pairs where p was left to the model; an error where it was given.
template <class S>
void require_rank(Fit<S>& fit, std::size_t view, Index rank) {
  if (rank >= fit.components) return;
  if (fit.options.components > 0 || rank == 0)
    throw NumericalError(fmt::format("{}: rank {} on the training rows, expected at least p = {}",
                                     fit.stream.source(view).name(), rank, fit.components));
  fit.components = rank;
}

/// How many directions of X the rows of a view fill, given X'SX and X'BX = X'SX + ridge X'X.
template <class S>
Index filled_directions(const Matrix<double>& scores, const Matrix<double>& metric) {
  const Vector<double> scale = metric.diagonal().cwiseSqrt().cwiseInverse();
  SymmetricEigen<double> eigen;
  eigen.compute(scale.asDiagonal() * scores * scale.asDiagonal());
  return (eigen.values().array() > static_cast<double>(rank_tolerance<S>(scores.rows()))).count();
}

template <class S>
class CcaModel final : public Model<S> {
 public:
  explicit CcaModel(CcaResult<S>& result) : result_(result) {}

  std::optional<Problem> problem() const override { return Problem::cca; }

  Index components(const FitOptions& options, const std::vector<Index>& features) const override {
    if (options.components > 0) return options.components;
    return std::min({kMostPairs, features[0], features[1]});
  }

  RidgeChoice automatic_ridge(Fit<S>& fit) override {
    return choose_cca_ridge(fit.stream, fit.components, fit.options.memory);
  }

  double fading_ridge(Fit<S>& fit) override {
    return choose_fading_ridge(fit.stream, fit.components, fit.options.memory);
  }

  Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p, bool sparse,
                    const SourceSample& sample) const override {
    const Index most = std::max<Index>(0, std::min(features[0], features[1]) - p);
    const Index wanted =
        options.landing.estimator == Estimator::recursive ? options.guard.value_or(cca_guard(p)) : 0;
    Workload work =
        landing_workload<S>(options, features, p, p + std::clamp<Index>(wanted, 0, most), sparse, sample);
    // Three covariances, the metrics and two products of the size of the cross-covariance, in double precision.
    const double left = static_cast<double>(features[0]), right = static_cast<double>(features[1]);
    work.squares = 8 * (2 * left * left + 2 * right * right + 3 * left * right);
    return work;
  }

  /// M = S_yx B_x^-1 S_xy against B_y: eigenvalues rho^2, eigenvectors Y, and X = B_x^-1 S_xy Y up to scale.
  Solved<S> exact(Fit<S>& fit) override {
    const bool ridge = fit.result.views[0].ridge > 0;
    const Products products = ridge ? Products::single : Products::exact;
    const int folds = folds_in_memory(fit);
    std::vector<FoldCovariances> parts;
    if (folds > 0) parts = fold_covariances<S>(fit.stream, folds, fit.options.seed, products);
    auto moments = folds > 0 ? std::move(without_fold(parts, -1).covariances)
                             : covariances<S, double>(fit.stream, products);
    std::array<Matrix<double>, 2> metric;
    for (std::size_t i = 0; i < 2; ++i) {
      metric[i] = moments.within[i];
      metric[i].diagonal().array() += fit.result.views[i].ridge;
      near_singular_ |= numerical_rank<double>(metric[i], kLeastPivot) < metric[i].rows();
    }
    Point<double> basis;  // of each view; empty: its columns
    if (near_singular_) {
      basis = range(fit, metric);
      if (folds > 0) {
        parts.clear();
        parts = fold_score_covariances<S>(fit.stream, folds, fit.options.seed, basis);
        moments = std::move(without_fold(parts, -1).covariances);
      } else {
        moments = score_covariances<S>(fit.stream, basis);
      }
      for (std::size_t i = 0; i < 2; ++i)
        metric[i] = moments.within[i] + fit.result.views[i].ridge * basis[i].transpose() * basis[i];
    }
    Matrix<double> cross = moments.cross(0, 1);
    const std::size_t small = cross.cols() <= cross.rows() ? 1 : 0;
    if (small == 0) cross.transposeInPlace();
    Matrix<double> solved(cross.rows(), cross.cols()), squared(cross.cols(), cross.cols());
    inverse_preconditioner<double>(std::move(metric[1 - small]))->apply(cross, solved);
    multiply_at<double>(cross, solved, squared);
    if (!ridge) log_lambda_ = log_determinant(metric[small] - squared) - log_determinant(metric[small]);
    ranks_ = {cross.rows(), cross.cols()};
    Point<double> x(2);
    x[small] = solve_pencil<double>(std::move(squared), std::move(metric[small]), fit.components).vectors;
    x[1 - small].resize(cross.rows(), fit.components);
    multiply<double>(solved, x[small], x[1 - small]);
    const bool centred = fit.stream.centring() == Centring::exact;
    if (centred) exact_moments_ = canonical_moments(moments, x);
    for (std::size_t i = 0; i < basis.size(); ++i) x[i] = basis[i] * x[i];
    exact_ = std::move(x);
    Point<S> rounded{exact_[0].template cast<S>(), exact_[1].template cast<S>()};
    if (!centred) {
      exact_moments_ = canonical_moments<S>(fit.stream, Part::training, rounded[0], rounded[1], &columns_);
    } else if (near_singular_) {  // the covariances of the columns are gone
      canonical_moments<S>(fit.stream, Part::training, rounded[0], rounded[1], &columns_);
    } else {
      columns_ = canonical_columns(moments, exact_);
      for (std::size_t i = 0; i < 2; ++i) columns_.spread[i] = column_spread(fit.stream, i);
    }
    if (folds > 0) {
      fit.result.seconds.solve += fit.timer.lap();
      result_.cross_validated = cross_validate_cca(parts, {.components = fit.components,
                                                           .ridge = fit.result.views[0].ridge,
                                                           .ridge_of_rows = fit.result.ridge_rows > 0,
                                                           .basis = std::move(basis),
                                                           .cancel = fit.options.cancel});
      fit.result.seconds.evaluate += fit.timer.lap();
    }
    return {std::move(rounded), {}, {}};
  }

  Solved<S> baseline(Fit<S>& fit, const Baseline& baseline) override {
    auto run = solve_cca_baseline<S>(baseline, fit.stream,
                                     baseline_options(fit, fit.options.passes.value_or(kPasses)));
    fit.record(run);
    if (fit.observer) fit.observer->end(run.progress, run.x);
    return {std::move(run.x), {}, {}};
  }

  Solved<S> land(Fit<S>& fit) override { return land_adaptively(fit, correlation_objective<S>()); }

  void finish(Fit<S>& fit, Solved<S> solved) override {
    const std::vector<double> ridge = fit.solver_ridges();
    Point<double> x =
        fit.exact() ? std::move(exact_)
                    : Point<double>{solved.x[0].template cast<double>(), solved.x[1].template cast<double>()};
    // Of the scores, without the ridge and with it.
    CanonicalMoments plain = fit.exact()
                                 ? std::move(exact_moments_)
                                 : canonical_moments<S>(fit.stream, Part::training, solved.x[0], solved.x[1],
                                                        loadings_fit(fit, x[0].cols()) ? &columns_ : nullptr);
    CanonicalMoments moments = with_ridge(plain, x, ridge);
    result_.samples = moments.rows;
    result_.views[0].method_infeasibility = distance_to_identity(moments.left);
    result_.views[1].method_infeasibility = distance_to_identity(moments.right);

    const auto turn = [&](const Matrix<double>& left, const Matrix<double>& right) {
      plain = rotated(plain, left, right);
      moments = rotated(moments, left, right);
      x = {x[0] * left, x[1] * right};
      columns_.rotate(left, right);
    };
    if (x[0].cols() > fit.components) {
      const auto [left, right] = wanted(solved, moments, fit.components);
      turn(left, right);
    }
    if (!fit.exact()) {
      require_rank(fit, 0, filled_directions<S>(plain.left, moments.left));
      require_rank(fit, 1, filled_directions<S>(plain.right, moments.right));
    }
    const auto rotation = canonical_rotation(moments, fit.components);
    turn(rotation.left, rotation.right);
    result_.regularized = rotation.correlations;
    result_.correlations = paired_correlations(plain);
    result_.views[0].infeasibility = distance_to_identity(moments.left);
    result_.views[1].infeasibility = distance_to_identity(moments.right);
    if (fit.exact())
      for (auto& view : result_.views) view.method_infeasibility = view.infeasibility;

    const Vector<double> signs = signs_of_largest(x[0]);  // follow the left view
    turn(signs.asDiagonal(), signs.asDiagonal());
    for (std::size_t i = 0; i < 2; ++i)
      set_weights(fit.stream, i, unscaled(fit.stream, i, x[i]), result_.views[i]);
    set_columns(fit.stream, columns_, plain, result_);
    if (fit.exact() && fit.result.views[0].ridge == 0 &&
        !fit.options.weighted())  // which has no known distribution
      result_.wilks = wilks_tests(result_.correlations, log_lambda_,
                                  {.left = ranks_[0],
                                   .right = ranks_[1],
                                   .rows = fit.stream.centring() == Centring::exact ? moments.rows : 0});
    if (fit.exact()) check_rounding(fit, x);
    resample(fit, result_);
    if (fit.options.holds_out()) {
      CanonicalColumns columns;
      const auto held =
          canonical_moments<S>(fit.stream, Part::held_out, x[0].template cast<S>(), x[1].template cast<S>(),
                               columns_.own[0].size() > 0 ? &columns : nullptr);
      result_.held_out_samples = held.rows;
      if (fit.options.weights) result_.held_out_sum_of_weights = held.weight * fit.stream.weight_unit();
      result_.held_out = paired_correlations(held);
      set_prediction_r2(fit.stream, columns, held, result_);
    }
  }

 private:
  /// K where the covariances of K folds fit in memory beside what the solver needs, and rows allow; else 0.
  static int folds_in_memory(const Fit<S>& fit) {
    const int folds = fit.options.folds.value_or(kFolds);
    if (folds == 0 || fit.options.fold >= 0 || fit.stream.centring() != Centring::exact ||
        !has_rows_for_folds(fit.work.rows, folds, fit.components))
      return 0;
    const auto features = fit.features();
    const double left = static_cast<double>(features[0]), right = static_cast<double>(features[1]),
                 kept = static_cast<double>(kFoldRows * sizeof(double)) * (left + right);
    const double bytes = folds * (8 * (left * left + right * right + left * right) + kept);
    return fit.work.squares + bytes <= static_cast<double>(fit.options.memory) ? folds : 0;
  }

  /// Whether the sums of the columns with the scores of the c pairs that landing carries are small beside the memory.
  static bool loadings_fit(const Fit<S>& fit, Index c) {
    double columns = 0;
    for (const Index n : fit.features()) columns += static_cast<double>(n);
    return columns * 2 * static_cast<double>(c) * (8 + sizeof(S)) <=
           static_cast<double>(fit.options.memory) / 4;
  }

  /// T with T'BT near I for each view, without directions in which nothing varies. Sums of squares of nearly dependent columns
  /// are mostly rounding; those of the scores T'a are not (the second pass of a Cholesky QR).
  static Point<double> range(Fit<S>& fit, const std::array<Matrix<double>, 2>& metric) {
    Point<double> basis;
    for (std::size_t i = 0; i < 2; ++i) {
      const Index n = metric[i].rows();
      // Pivots decide on the rank. Where it is full, eigenvalues may be small: the second pass makes up for their error, but not
      // for that of rows in single precision.
      const bool full = sizeof(S) == sizeof(double) && numerical_rank<double>(metric[i]) == n;
      basis.push_back(
          orthonormalizing_factor<double>(metric[i], rank_tolerance<double>(n) / (full ? 64 : 1)));
      const Index rank = basis[i].cols();
      require_rank(fit, i, rank);
      if (rank < n) fit.result.warnings.push_back(dependent_columns(fit.stream.source(i).name(), n, rank));
    }
    return basis;
  }

  /// The weights are written in precision S, and what nearly dependent columns differ in may be less than its rounding.
  void check_rounding(Fit<S>& fit, const Point<double>& x) {
    constexpr double kMostRounding = 1e-3;
    if (!near_singular_ || sizeof(S) == sizeof(double) || fit.stream.centring() != Centring::exact) return;
    auto scores = score_covariances<S>(fit.stream, {x[0].template cast<S>().template cast<double>(),
                                                    x[1].template cast<S>().template cast<double>()});
    const Vector<double> rounded =
        paired_correlations({scores.within[0], scores.within[1], scores.between[0]});
    const double off = (rounded - result_.correlations).cwiseAbs().maxCoeff();
    if (off > kMostRounding)
      result_.warnings.push_back(
          fmt::format("rounding of the weights to single precision changes a correlation by {:.2g}; "
                      "--precision double does not",
                      off));
  }

  /// The best p pairs within the columns that landing carries, as its estimator knows them where it does.
  static std::pair<Matrix<double>, Matrix<double>> wanted(const Solved<S>& solved,
                                                          const CanonicalMoments& moments, Index p) {
    const auto first = [p](const Matrix<double>& m) {
      return Matrix<double>(Matrix<double>::Identity(m.rows(), p));
    };
    if (solved.ordered) return {first(moments.left), first(moments.right)};
    if (!solved.bx.empty()) {
      const auto small = [&](std::size_t i, const Point<S>& m) {
        return Matrix<double>((solved.x[i].transpose() * m[i]).template cast<double>());
      };
      try {
        auto rotation =
            canonical_rotation({small(0, solved.bx), small(1, solved.bx), -small(0, solved.gradient)}, p);
        return {std::move(rotation.left), std::move(rotation.right)};
      } catch (const DataError&) {
        // The estimate of X'BX is not positive definite; the moments of all rows decide.
      }
    }
    auto rotation = canonical_rotation(moments, p);
    return {std::move(rotation.left), std::move(rotation.right)};
  }

  CcaResult<S>& result_;
  Point<double> exact_;             // what exact() found, in double precision
  CanonicalMoments exact_moments_;  // of its scores, without the ridge
  CanonicalColumns columns_;        // with the scores, where they fit in memory
  double log_lambda_ = 0;           // Wilks', of all pairs
  std::array<Index, 2> ranks_{};    // of the views
  bool near_singular_ = false;      // the columns of a view nearly depend on each other
};

}  // namespace

namespace {

template <class S>
CcaResult<S> fit_once(std::vector<SourcePtr<S>> sources, const CcaOptions& options,
                      FitObserver<S>* observer) {
  CcaResult<S> result;
  CcaModel<S> model(result);
  fit_model<S>(model, std::move(sources), options, result, observer);
  return result;
}

/// Another fit for each fold, by the same method, tested on the fold. They share the reading as far as they fit in memory.
template <class S>
CrossValidated refit_folds(Source<S>& left, Source<S>& right, CcaOptions options, const CcaResult<S>& all) {
  options.components = all.correlations.size();
  options.permutations = options.bootstrap = 0;
  options.observer = {};
  options.checkpoints = {};
  int at_once = 1;
  if (options.baseline.empty()) {
    options.method = all.method;
    left.rewind();
    right.rewind();
    CcaResult<S> unused;
    const Workload work = model_workload<S>(CcaModel<S>(unused), {&left, &right}, options);
    if (!options.communicator)
      at_once =
          fits_in_memory(*options.folds, shown_plan<S>(work, options.memory, options.method), options.memory);
  }
  std::vector<FoldScores> folds(static_cast<std::size_t>(*options.folds));
  fit_together<S>({&left, &right}, *options.folds, at_once, [&](int k, std::vector<SourcePtr<S>> sources) {
    CcaOptions one = options;
    one.fold = k;
    const CcaResult<S> fold = fit_once<S>(std::move(sources), one, nullptr);
    const Index p = fold.held_out.size();
    folds[static_cast<std::size_t>(k)] = {
        Vector<double>::Ones(p), Vector<double>::Ones(p), fold.held_out, fold.held_out_samples,
        options.weights ? fold.held_out_sum_of_weights : static_cast<double>(fold.held_out_samples)};
  });
  std::erase_if(folds, [](const FoldScores& fold) { return fold.rows < 2; });
  return pooled(folds);
}

}  // namespace

template <class S>
CcaResult<S> fit_cca(SourcePtr<S> left, SourcePtr<S> right, const CcaOptions& options,
                     FitObserver<S>* observer) {
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::make_unique<BorrowedSource<S>>(*left));
  sources.push_back(std::make_unique<BorrowedSource<S>>(*right));
  CcaResult<S> result = fit_once<S>(std::move(sources), options, observer);
  const bool asked = options.folds.value_or(0) > 0 && options.fold < 0;
  if (asked && result.cross_validated.folds == 0 && left->rewindable() && right->rewindable()) {
    Timer timer;
    result.cross_validated = refit_folds(*left, *right, options, result);
    result.seconds.evaluate += timer.lap();
  }
  warn_of_overfitting(result);
  return result;
}

template <class S>
void warn_of_overfitting(CcaResult<S>& result) {
  std::erase_if(result.warnings,
                [](const std::string& warning) { return warning.starts_with("overfitting:"); });
  Index columns = 0;
  for (const auto& view : result.views)
    columns += view.weights.rows() - static_cast<Index>(view.dropped.size());
  if (std::string warning =
          overfit_warning(result.correlations, result.cross_validated, result.samples, columns);
      !warning.empty())
    result.warnings.push_back(std::move(warning));
}

namespace {

/// The passes that landing will make, from its pilot on the first rows; unset where that would take long, or is not possible.
template <class S>
std::optional<double> passes_by_pilot(Source<S>& left, Source<S>& right, const CcaOptions& options,
                                      const Workload& work) {
  constexpr double kQuick = 1e10;  // flops, about a second
  double squares = 0;
  for (const Index n : work.features) squares += 2 * static_cast<double>(n) * static_cast<double>(n);
  if (options.passes || options.landing.estimator != Estimator::recursive || work.nonzeros ||
      work.first_rows >= work.rows || squares * static_cast<double>(work.first_rows) > kQuick)
    return std::nullopt;
  OnlineCcaOptions pilot_options;
  pilot_options.components = work.components;
  pilot_options.ridge = options.ridge;
  pilot_options.relative_ridge = options.relative_ridge;
  pilot_options.first_rows = work.first_rows;
  pilot_options.memory = options.memory;
  pilot_options.seed = options.seed;
  std::optional<double> passes;
  try {
    OnlineCca<S> pilot(pilot_options);
    Batch<S> x, y;
    Index rows = 0;
    while (rows < work.first_rows && left.read(kPilotBatch, x) > 0 && right.read(kPilotBatch, y) > 0) {
      pilot.partial_fit(x, y, {}, options.cancel);
      rows += x.rows();
    }
    const CcaResult<S> found = pilot.result();
    passes = predicted_passes({.rows = static_cast<double>(work.rows),
                               .first_rows = static_cast<double>(work.first_rows),
                               .noise = found.choice.noise,
                               .values = found.regularized,
                               .tolerance = options.tolerance,
                               .most = options.most_passes});
  } catch (const DataError&) {  // the fit leaves such rows out, or says what is wrong with them
  } catch (const NumericalError&) {
  }
  left.rewind();
  right.rewind();
  return passes;
}

}  // namespace

template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options) {
  CcaResult<S> result;
  const CcaModel<S> model(result);
  Workload work = model_workload<S>(model, {&left, &right}, options);
  work.passes = passes_by_pilot(left, right, options, work).value_or(work.passes);
  return shown_plan<S>(work, options.memory, options.method);
}

LANDFALL_CCA(, float)
LANDFALL_CCA(, double)

}  // namespace landfall
