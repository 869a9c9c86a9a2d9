#include "reproduce/pencil_runs.hpp"

#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/constants.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <cmath>

#include "reproduce/stopwatch.hpp"

namespace landfall::app {
namespace {

constexpr double eps = 0.5;  // the safe region of the figures

Matrix<double> sym(const Matrix<double>& m) {
  return (m + m.transpose()) / 2;
}

/// X <- retraction of X - eta (B^-1 G - X sym(X'G)).
void riemannian_step(const PencilProblem& problem, double eta, const Matrix<double>& g, Matrix<double>& x) {
  Matrix<double> v(x.rows(), x.cols()), slope(x.cols(), x.cols());
  problem.b_inverse->apply(g, v);
  multiply_at<double>(x, g, slope);
  multiply<double>(x, sym(slope), v, -1, 1);
  x = retract_cholesky<double>(*problem.b, x, -eta * v);
}

/// X <- X - eta (G - Y sym(X'G) + omega Y H).
void plam_step(const PencilStep& step, const Matrix<double>& g, const Matrix<double>& y,
               const Matrix<double>& h, Matrix<double>& x) {
  Matrix<double> slope(x.cols(), x.cols()), d = g;
  multiply_at<double>(x, g, slope);
  multiply<double>(y, step.omega * h - sym(slope), d, 1, 1);
  x -= step.eta * d;
}

}  // namespace

PencilProblem pencil_problem(PencilKind kind, Index n, Index p, std::uint64_t seed) {
  SyntheticPencil pencil = make_pencil({.size = n, .kind = kind, .seed = seed});
  const double scale = std::sqrt(static_cast<double>(n) / 1000);
  pencil.a *= scale / pencil.a.norm();
  pencil.b *= scale / pencil.b.norm();
  PencilProblem problem;
  Stopwatch watch;
  const auto direct = solve_pencil<double>(pencil.a, pencil.b, p);
  problem.lapack_seconds = watch.seconds();
  problem.optimum = -direct.values.sum() / 2;
  watch = {};
  problem.b_inverse = inverse_preconditioner<double>(pencil.b);
  problem.factor_seconds = watch.seconds();
  SymmetricEigen<double> eigen;
  eigen.compute(pencil.b);
  problem.largest = eigen.values()(n - 1);
  problem.smallest = eigen.values()(0);
  problem.a = std::make_shared<DenseOperator<double>>(std::move(pencil.a));
  problem.b = std::make_shared<DenseOperator<double>>(std::move(pencil.b));
  problem.start = orthonormalize<double>(*problem.b, gaussian<double>(n, p, {seed, 7}));
  return problem;
}

std::string name_of(PencilMethod method) {
  switch (method) {
    case PencilMethod::riemannian:
      return "Riemannian";
    case PencilMethod::plam:
      return "PLAM";
    case PencilMethod::landing_r:
      return "landing Psi_R";
    default:
      return "landing Psi_B";
  }
}

double PencilTrace::seconds_per_iteration() const {
  return iteration.size() < 2 ? 0 : (seconds.back() - seconds.front()) / iteration.back();
}

double PencilTrace::seconds_to(double wanted) const {
  for (std::size_t i = 0; i < gap.size(); ++i)
    if (std::abs(gap[i]) < wanted) return seconds[i];
  return std::numeric_limits<double>::infinity();
}

PencilTrace run_pencil(const PencilProblem& problem, const PencilStep& step, const PencilLimits& limits) {
  const bool landing = step.method == PencilMethod::landing_b || step.method == PencilMethod::landing_r;
  const bool solves = step.method == PencilMethod::riemannian || step.method == PencilMethod::landing_r;
  const Direction direction =
      step.method == PencilMethod::landing_r ? Direction::riemannian : Direction::metric;
  StiefelField<double> field({.direction = direction, .preconditioner = problem.b_inverse});
  const StiefelConstants paper = paper_constants(problem.largest, problem.smallest, eps);
  const StiefelConstants tight = tight_constants(problem.largest, problem.smallest, eps);

  Matrix<double> x = problem.start;
  Matrix<double> g(x.rows(), x.cols()), y = g, lambda = g, z = g;
  RayWorkspace<double> rays;
  PencilTrace trace;
  double spent = solves ? problem.factor_seconds : 0;
  for (int k = 0;; ++k) {
    Stopwatch watch;
    problem.a->apply(x, g);
    g *= -1;
    if (step.method != PencilMethod::riemannian) problem.b->apply(x, y);
    double work = watch.seconds();
    if (step.method == PencilMethod::riemannian) problem.b->apply(x, y);  // for H alone
    watch = {};
    field.measure(x, y);
    const double d = field.residual().norm(), value = g.cwiseProduct(x).sum() / 2;
    if (step.method == PencilMethod::plam) work += watch.seconds();
    trace.iteration.push_back(k);
    trace.seconds.push_back(spent);
    trace.gap.push_back((value - problem.optimum) / std::abs(problem.optimum));
    trace.infeasibility.push_back(d * d / 2);
    trace.diverged = !std::isfinite(value) || d > 1e3;
    if (trace.diverged || k >= limits.iterations || spent >= limits.seconds) break;

    watch = {};
    if (landing) {
      field(x, g, y, y, step.omega, lambda);
      work += watch.seconds();
      const double size = lambda.norm(), pull = field.normal_norm();
      trace.safe_paper.push_back(safe_step_lemma(d, size, pull, step.omega, eps, paper.l_n));
      trace.safe_tight.push_back(safe_step_lemma(d, size, pull, step.omega, eps, tight.l_n));
      problem.b->apply(lambda, z);
      trace.safe_exact.push_back(
          safe_step(ray_polynomial<double>(field.residual(), y, lambda, z, rays), eps));
      x -= step.eta * lambda;
    } else {
      if (step.method == PencilMethod::plam)
        plam_step(step, g, y, field.residual(), x);
      else
        riemannian_step(problem, step.eta, g, x);
      work += watch.seconds();
    }
    spent += work;
  }
  return trace;
}

Series thinned(std::string name, const std::vector<double>& x, const std::vector<double>& y,
               std::size_t points) {
  Series series{.name = std::move(name)};
  const std::size_t count = std::min(x.size(), y.size());
  const std::size_t every = std::max<std::size_t>(1, count / points);
  for (std::size_t i = 0; i < count; ++i)
    if (i < 20 || i % every == 0 || i + 1 == count) {
      series.x.push_back(x[i]);
      series.y.push_back(y[i]);
    }
  return series;
}

}  // namespace landfall::app
