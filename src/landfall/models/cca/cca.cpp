#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/cca_baseline.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/pipeline.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kMostPairs = 10;  // where p is not given

CanonicalMoments rotated(const CanonicalMoments& moments, const Matrix<double>& u, const Matrix<double>& v) {
  return {u.transpose() * moments.left * u, v.transpose() * moments.right * v,
          u.transpose() * moments.cross * v, moments.rows};
}

void add_ridge(CanonicalMoments& moments, const Point<double>& x, const std::vector<double>& ridge) {
  moments.left += ridge[0] * x[0].transpose() * x[0];
  moments.right += ridge[1] * x[1].transpose() * x[1];
}

template <class S>
void require_rank(const DataStream<S>& stream, std::size_t view, Index rank, Index p) {
  if (rank < p)
    throw NumericalError(fmt::format("{}: rank {} on the training rows, expected at least p = {}",
                                     stream.source(view).name(), rank, p));
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

  double relative_ridge(const Fit<S>& fit, std::size_t view) const override {
    return cca_relative_ridge(fit.stream.statistics(view));
  }

  Workload workload(const FitOptions& options, const std::vector<Index>& features, Index p, bool sparse,
                    const SourceSample& sample) const override {
    const Index most = std::max<Index>(0, std::min(features[0], features[1]) - p);
    const Index wanted =
        options.landing.estimator == Estimator::recursive ? options.guard.value_or(cca_guard(p)) : 0;
    return landing_workload<S>(options, features, p, p + std::clamp<Index>(wanted, 0, most), sparse, sample);
  }

  /// M = S_yx B_x^-1 S_xy against B_y: eigenvalues rho^2, eigenvectors Y, and X = B_x^-1 S_xy Y up to scale.
  Solved<S> exact(Fit<S>& fit) override {
    auto moments = covariances(fit.stream);
    for (std::size_t i = 0; i < 2; ++i) {
      const double ridge = fit.result.views[i].ridge;
      const Index full = moments.within[i].rows(), rank = numerical_rank<S>(moments.within[i]);
      require_rank(fit.stream, i, rank, fit.components);
      moments.within[i].diagonal().array() += static_cast<S>(ridge);
      if (rank < full && numerical_rank<S>(moments.within[i]) < full)
        throw NumericalError(fmt::format("{}: the covariance is singular, expected a ridge above {:.3g}",
                                         fit.stream.source(i).name(), ridge));
    }
    const std::size_t small = moments.within[1].rows() <= moments.within[0].rows() ? 1 : 0;
    const Matrix<S> turned = small == 1 ? Matrix<S>() : Matrix<S>(moments.cross(0, 1).transpose());
    const Matrix<S>& cross = small == 1 ? moments.cross(0, 1) : turned;
    Matrix<S> solved(cross.rows(), cross.cols()), squared(cross.cols(), cross.cols());
    inverse_preconditioner<S>(moments.within[1 - small])->apply(cross, solved);
    multiply_at<S>(cross, solved, squared);
    Point<S> directions(2);
    directions[small] = solve_pencil<S>(std::move(squared), moments.within[small], fit.components).vectors;
    directions[1 - small].resize(cross.rows(), fit.components);
    multiply<S>(solved, directions[small], directions[1 - small]);
    exact_moments_ = canonical_moments(moments, directions);
    return {std::move(directions), {}, {}};
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
    const Index p = fit.components;
    const std::vector<double> ridge = fit.ridges();
    Point<double> x{solved.x[0].template cast<double>(), solved.x[1].template cast<double>()};
    CanonicalMoments moments, plain;  // of the scores, with the ridge and (not by exact) without
    if (fit.exact()) {
      moments = std::move(exact_moments_);
    } else {
      plain = moments = canonical_moments<S>(fit.stream, Part::training, solved.x[0], solved.x[1]);
      add_ridge(moments, x, ridge);
      result_.views[0].infeasibility = distance_to_identity(moments.left);
      result_.views[1].infeasibility = distance_to_identity(moments.right);
    }
    result_.samples = moments.rows;

    if (x[0].cols() > p) {
      const auto [left, right] = wanted(solved, moments, p);
      moments = rotated(moments, left, right);
      if (!fit.exact()) plain = rotated(plain, left, right);
      x = {x[0] * left, x[1] * right};
    }
    if (!fit.exact()) {
      require_rank(fit.stream, 0, filled_directions<S>(plain.left, moments.left), p);
      require_rank(fit.stream, 1, filled_directions<S>(plain.right, moments.right), p);
    }
    const auto rotation = canonical_rotation(moments, p);
    result_.correlations = rotation.correlations;
    x = {x[0] * rotation.left, x[1] * rotation.right};

    const Vector<double> signs = signs_of_largest(unscaled(fit.stream, 0, x[0]));  // follow the left view
    for (std::size_t i = 0; i < 2; ++i) {
      x[i] *= signs.asDiagonal();
      set_weights(fit.stream, i, unscaled(fit.stream, i, x[i]), result_.views[i]);
    }
    if (fit.exact()) {
      const auto last = rotated(moments, rotation.left, rotation.right);
      result_.views[0].infeasibility = distance_to_identity(last.left);
      result_.views[1].infeasibility = distance_to_identity(last.right);
    }
    if (fit.options.held_out > 0) {
      const auto held =
          canonical_moments<S>(fit.stream, Part::held_out, x[0].template cast<S>(), x[1].template cast<S>());
      result_.held_out_samples = held.rows;
      result_.held_out = paired_correlations(held);
    }
  }

 private:
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
  CanonicalMoments exact_moments_;  // with the ridge
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
