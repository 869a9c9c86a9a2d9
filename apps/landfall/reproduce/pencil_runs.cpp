#include "reproduce/pencil_runs.hpp"

#include <landfall/baselines/registry.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/retraction.hpp>

#include <cmath>

#include "reproduce/stopwatch.hpp"

namespace landfall::app {
namespace {

bool is_landing(PencilMethod method) {
  return method == PencilMethod::landing_b || method == PencilMethod::landing_r;
}

class PencilRecorder {
 public:
  PencilRecorder(const PencilProblem& problem, const PencilLimits& limits,
                 const std::function<void(const PencilIterate&)>& observer)
      : problem_(problem), limits_(limits), observer_(observer) {}

  /// False where the run has come to its end.
  bool add(std::uint64_t iteration, double seconds, const Matrix<double>& x) {
    g_.resize(x.rows(), x.cols());
    y_.resize(x.rows(), x.cols());
    h_.resize(x.cols(), x.cols());
    problem_.a->apply(x, g_);
    g_ *= -1;
    problem_.b->apply(x, y_);
    multiply_at<double>(x, y_, h_);
    h_.diagonal().array() -= 1;
    const double d = h_.norm(), value = g_.cwiseProduct(x).sum() / 2;
    trace.iteration.push_back(static_cast<double>(iteration));
    trace.seconds.push_back(seconds);
    trace.gap.push_back((value - problem_.optimum) / std::abs(problem_.optimum));
    trace.infeasibility.push_back(d * d / 2);
    trace.diverged = !std::isfinite(value) || d > 1e3;
    if (trace.diverged || iteration >= limits_.iterations || seconds >= limits_.seconds) return false;
    if (observer_) observer_({x, g_, y_, h_});
    return true;
  }

  PencilTrace trace{};

 private:
  const PencilProblem& problem_;
  const PencilLimits& limits_;
  const std::function<void(const PencilIterate&)>& observer_;
  Matrix<double> g_, y_, h_;
};

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

FieldOptions<double> field_of(const PencilProblem& problem, PencilMethod method) {
  if (method == PencilMethod::landing_r)
    return {.direction = Direction::riemannian, .preconditioner = problem.b_inverse};
  return {.direction = Direction::metric};
}

PencilTrace run_pencil(const PencilProblem& problem, const PencilStep& step, const PencilLimits& limits,
                       const std::function<void(const PencilIterate&)>& observer) {
  const double factored = step.method == PencilMethod::landing_r ? problem.factor_seconds : 0;
  PencilRecorder recorder(problem, limits, observer);
  const auto record = [&](const Progress& now, const Point<double>& x) {
    return recorder.add(now.iteration, factored + now.seconds, x[0]);
  };
  Termination end = Termination::stopped;
  if (is_landing(step.method)) {
    const Index p = problem.start.cols();
    QuadraticOracle<double> oracle(
        problem.a, -1, {.b = problem.b, .components = p, .field = field_of(problem, step.method)});
    if (record({}, {problem.start}))
      end = solve<double>(oracle, {problem.start},
                          {.step = {.rule = StepRule::fixed, .size = step.eta},
                           .omega = step.omega,
                           .stop = stop::iterations(std::numeric_limits<std::uint64_t>::max()),
                           .observer = record,
                           .history = 0})
                .termination;
  } else {
    const Baseline& baseline = find_baseline(step.method == PencilMethod::plam ? "plam" : "rgd-fixed");
    end = solve_baseline<double>(baseline, {problem.a, problem.b},
                                 {.components = problem.start.cols(),
                                  .step = step.eta,
                                  .omega = step.omega,
                                  .start = {problem.start},
                                  .tolerance = std::numeric_limits<double>::min(),
                                  .iterations = std::numeric_limits<std::uint64_t>::max(),
                                  .observer = record})
              .termination;
  }
  if (end == Termination::diverged) recorder.trace.diverged = true;
  return std::move(recorder.trace);
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
