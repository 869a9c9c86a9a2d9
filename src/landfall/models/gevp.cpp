#include <landfall/models/gevp.hpp>

#include <landfall/errors.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/eigenpairs.hpp>
#include <landfall/rivals/lobpcg.hpp>

#include <array>
#include <type_traits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<GevpMethod, std::string_view>, 4> kMethods{{{GevpMethod::automatic, "auto"},
                                                                          {GevpMethod::direct, "direct"},
                                                                          {GevpMethod::lobpcg, "lobpcg"},
                                                                          {GevpMethod::landing, "landing"}}};

// A dense solve of this size takes a few seconds on two cores; a few LOBPCG iterations on dense matrices cost as much.
constexpr Index kDirectLimit = 2500;

/// The method `automatic` stands for, and why.
std::pair<GevpMethod, std::string> choose(const GevpOptions& options, Index n) {
  if (options.method != GevpMethod::automatic) return {options.method, "asked for"};
  if (n <= kDirectLimit)
    return {GevpMethod::direct, fmt::format("n = {} is at most {}: n^3 is cheap", n, kDirectLimit)};
  if (5 * options.components > n)
    return {GevpMethod::direct, fmt::format("{} components are more than a fifth of n = {}", options.components, n)};
  return {GevpMethod::lobpcg, fmt::format("n = {} is above {}: only products with A and B", n, kDirectLimit)};
}

template <class S>
Matrix<S> written_out(const SymmetricOperator<S>& m) {
  const auto* dense = dynamic_cast<const DenseOperator<S>*>(&m);
  return dense ? dense->matrix() : to_dense(m);
}

template <class S>
void solve_direct(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options,
                  GevpResult<S>& result) {
  auto pairs = solve_pencil<S>(written_out(a), written_out(b), options.components, options.smallest);
  fix_signs(pairs.vectors);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
}

template <class S>
void solve_lobpcg(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options,
                  double tolerance, GevpResult<S>& result) {
  LobpcgOptions lobpcg_options{.components = options.components,
                               .smallest = options.smallest,
                               .tolerance = tolerance,
                               .max_iterations = static_cast<int>(options.max_iterations ? options.max_iterations : 1000),
                               .seed = options.seed,
                               .observer = {}};
  if (options.observer)
    lobpcg_options.observer = [&](int iteration, double residual) {
      return options.observer({static_cast<std::uint64_t>(iteration), residual, 0});
    };
  auto found = lobpcg<S>(a, b, lobpcg_options);
  fix_signs(found.vectors);
  result.values = std::move(found.values);
  result.vectors = std::move(found.vectors);
  result.iterations = static_cast<std::uint64_t>(found.iterations);
  switch (found.end) {
    case LobpcgEnd::converged:
    case LobpcgEnd::direct: result.termination = Termination::converged; break;
    case LobpcgEnd::max_iterations: result.termination = Termination::iteration_limit; break;
    case LobpcgEnd::stopped: result.termination = Termination::stopped; break;
    case LobpcgEnd::stagnated: result.termination = Termination::no_progress; break;
  }
}

template <class S>
void solve_landing(OperatorPtr<S> a, OperatorPtr<S> b, const GevpOptions& options, double tolerance,
                   GevpResult<S>& result) {
  StiefelBlock<S> block{b, options.components, {.direction = options.direction, .normal = Normal::newton}};
  if (options.direction == Direction::preconditioned)
    block.field.preconditioner =
        sketch_preconditioner<S>(*b, {.rank = std::max<Index>(64, 2 * options.components), .seed = options.seed});
  if (options.direction == Direction::riemannian)
    block.field.preconditioner = inverse_preconditioner<S>(written_out(*b));
  QuadraticLandscape<S> landscape(a, options.smallest ? 1 : -1, block);

  SolverOptions<S> solver_options{
      .step = {.rule = StepRule::barzilai_borwein},
      .stop = (stop::gradient(tolerance) && stop::feasibility(100 * tolerance)) ||
              stop::iterations(options.max_iterations ? options.max_iterations : 20000)};
  if (options.observer)
    solver_options.observer = [&](const Progress& progress, const Point<S>&) {
      return options.observer({progress.iteration, progress.stationarity, progress.infeasibility});
    };
  const auto found =
      solve<S>(landscape, {gaussian<S>(b->size(), options.components, {options.seed, 0})}, solver_options);
  if (found.termination == Termination::infeasible_start)
    throw DataError("B is not positive definite: no start of full rank could be made B-orthonormal");
  auto pairs = rayleigh_ritz<S>(*a, *b, found.x[0], options.smallest);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
  result.infeasibility = found.progress.infeasibility;
  result.iterations = found.progress.iteration;
  result.termination = found.termination;
}

/// Residuals relative to the two terms that should cancel, and the infeasibility unless the method reported its own.
template <class S>
void judge(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, GevpResult<S>& result) {
  const Matrix<S>& x = result.vectors;
  Matrix<S> ax(x.rows(), x.cols()), bx(x.rows(), x.cols());
  a.apply(x, ax);
  b.apply(x, bx);
  result.residuals.resize(x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    const S scale = ax.col(j).norm() + std::abs(result.values(j)) * bx.col(j).norm();
    const S residual = (ax.col(j) - result.values(j) * bx.col(j)).norm();
    result.residuals(j) = scale > 0 ? residual / scale : residual;
  }
  result.stationarity = static_cast<double>(result.residuals.maxCoeff());
  if (result.method != GevpMethod::landing) {
    Matrix<S> gram(x.cols(), x.cols());
    multiply_at<S>(x, bx, gram);
    gram.diagonal().array() -= S(1);
    result.infeasibility = static_cast<double>(gram.norm());
  }
}

}  // namespace

std::string_view to_string(GevpMethod method) {
  for (const auto& [value, name] : kMethods)
    if (value == method) return name;
  return "unknown";
}

GevpMethod parse_gevp_method(std::string_view name) {
  for (const auto& [value, known] : kMethods)
    if (known == name) return value;
  throw UsageError(fmt::format("unknown method '{}'; expected auto, direct, lobpcg or landing", name));
}

template <class S>
GevpResult<S> solve_gevp(OperatorPtr<S> a, OperatorPtr<S> b, const GevpOptions& options) {
  if (!a || !b) throw UsageError("the generalized eigenproblem needs A and B");
  const Index n = a->size();
  if (b->size() != n)
    throw UsageError(fmt::format("A is {0}x{0}, B is {1}x{1}; expected the same size", n, b->size()));
  if (options.components < 1 || options.components > n)
    throw UsageError(fmt::format("{} components asked of {}x{} matrices; expected 1 to {}", options.components, n, n, n));
  const double tolerance = options.tolerance > 0 ? options.tolerance : std::is_same_v<S, float> ? 1e-5 : 1e-10;

  GevpResult<S> result;
  std::tie(result.method, result.reason) = choose(options, n);
  switch (result.method) {
    case GevpMethod::lobpcg: solve_lobpcg<S>(*a, *b, options, tolerance, result); break;
    case GevpMethod::landing: solve_landing<S>(a, b, options, tolerance, result); break;
    default: solve_direct<S>(*a, *b, options, result); break;
  }
  judge<S>(*a, *b, result);
  return result;
}

LANDFALL_GEVP(, float)
LANDFALL_GEVP(, double)

}  // namespace landfall
