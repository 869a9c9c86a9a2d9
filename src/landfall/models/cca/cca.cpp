#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/cca_baseline.hpp>
#include <landfall/models/cca/ridge_choice.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/pipeline.hpp>
#include <landfall/models/fit/warnings.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kMostPairs = 10;  // where p is not given
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
    auto moments = covariances<S, double>(fit.stream, ridge ? Products::single : Products::exact);
    std::array<Matrix<double>, 2> metric;
    for (std::size_t i = 0; i < 2; ++i) {
      metric[i] = moments.within[i];
      metric[i].diagonal().array() += fit.result.views[i].ridge;
      near_singular_ |= numerical_rank<double>(metric[i], kLeastPivot) < metric[i].rows();
    }
    Point<double> basis;  // of each view; empty: its columns
    if (near_singular_) {
      basis = range(fit, metric);
      moments = score_covariances<S>(fit.stream, basis);
      for (std::size_t i = 0; i < 2; ++i)
        metric[i] = moments.within[i] + fit.result.views[i].ridge * basis[i].transpose() * basis[i];
    }
    Matrix<double> cross = moments.cross(0, 1);
    const std::size_t small = cross.cols() <= cross.rows() ? 1 : 0;
    if (small == 0) cross.transposeInPlace();
    Matrix<double> solved(cross.rows(), cross.cols()), squared(cross.cols(), cross.cols());
    inverse_preconditioner<double>(std::move(metric[1 - small]))->apply(cross, solved);
    multiply_at<double>(cross, solved, squared);
    Point<double> x(2);
    x[small] = solve_pencil<double>(std::move(squared), std::move(metric[small]), fit.components).vectors;
    x[1 - small].resize(cross.rows(), fit.components);
    multiply<double>(solved, x[small], x[1 - small]);
    const bool centred = fit.stream.centring() == Centring::exact;
    if (centred) exact_moments_ = canonical_moments(moments, x);
    for (std::size_t i = 0; i < basis.size(); ++i) x[i] = basis[i] * x[i];
    exact_ = std::move(x);
    Point<S> rounded{exact_[0].template cast<S>(), exact_[1].template cast<S>()};
    if (!centred) exact_moments_ = canonical_moments<S>(fit.stream, Part::training, rounded[0], rounded[1]);
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
                                 : canonical_moments<S>(fit.stream, Part::training, solved.x[0], solved.x[1]);
    CanonicalMoments moments = with_ridge(plain, x, ridge);
    result_.samples = moments.rows;
    result_.views[0].method_infeasibility = distance_to_identity(moments.left);
    result_.views[1].method_infeasibility = distance_to_identity(moments.right);

    const auto turn = [&](const Matrix<double>& left, const Matrix<double>& right) {
      plain = rotated(plain, left, right);
      moments = rotated(moments, left, right);
      x = {x[0] * left, x[1] * right};
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
    for (std::size_t i = 0; i < 2; ++i) {
      x[i] *= signs.asDiagonal();
      set_weights(fit.stream, i, unscaled(fit.stream, i, x[i]), result_.views[i]);
    }
    if (fit.exact()) check_rounding(fit, x);
    if (fit.options.held_out > 0) {
      const auto held =
          canonical_moments<S>(fit.stream, Part::held_out, x[0].template cast<S>(), x[1].template cast<S>());
      result_.held_out_samples = held.rows;
      result_.held_out = paired_correlations(held);
    }
  }

 private:
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
  bool near_singular_ = false;      // the columns of a view nearly depend on each other
};

}  // namespace

template <class S>
CcaResult<S> fit_cca(SourcePtr<S> left, SourcePtr<S> right, const CcaOptions& options,
                     FitObserver<S>* observer) {
  CcaResult<S> result;
  CcaModel<S> model(result);
  std::vector<SourcePtr<S>> sources;
  sources.push_back(std::move(left));
  sources.push_back(std::move(right));
  fit_model<S>(model, std::move(sources), options, result, observer);
  return result;
}

template <class S>
Plan plan_cca(Source<S>& left, Source<S>& right, const CcaOptions& options) {
  CcaResult<S> result;
  const CcaModel<S> model(result);
  return shown_plan<S>(model_workload<S>(model, {&left, &right}, options), options.memory, options.method);
}

LANDFALL_CCA(, float)
LANDFALL_CCA(, double)

}  // namespace landfall
