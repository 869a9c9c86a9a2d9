#include <landfall/baselines/lobpcg.hpp>
#include <landfall/baselines/registry.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/models/gevp/eigenpairs.hpp>
#include <landfall/models/gevp/gevp.hpp>
#include <landfall/models/gevp/incomplete_inverse.hpp>
#include <landfall/models/gevp/pencil_scale.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<GevpMethod, std::string_view>, 4> kMethods{{{GevpMethod::automatic, "auto"},
                                                                           {GevpMethod::direct, "direct"},
                                                                           {GevpMethod::lobpcg, "lobpcg"},
                                                                           {GevpMethod::landing, "landing"}}};

// A dense solve of this size takes a few seconds on two cores, as do a few dense LOBPCG iterations.
constexpr Index kDirectLimit = 2500;

constexpr double kMostInfeasibility = 0.1;  // ||X'BX - I||_F of a result

/// B is a matrix that one can afford to factor.
template <class S>
bool can_factor(const SymmetricOperator<S>& b) {
  if (dynamic_cast<const DenseOperator<S>*>(&b)) return true;
  return dynamic_cast<const SparseOperator<S>*>(&b) && b.size() <= kDirectLimit;
}

/// What Cholesky says where B can be factored; of a larger sparse B, what its entries say: 0 < b_ii and
/// b_ij^2 < b_ii b_jj. The methods report what they meet of the rest.
template <class S>
void check_b(const SymmetricOperator<S>& b) {
  if (can_factor(b)) return require_positive_definite<S>(to_dense<S>(b));
  const Vector<S> diagonal = b.diagonal();
  for (Index i = 0; i < diagonal.size(); ++i)
    if (!(diagonal(i) > 0))
      throw DataError(
          fmt::format("B is not positive definite: row {0}, column {0} is {1}", i + 1, diagonal(i)));
  const auto* sparse = dynamic_cast<const SparseOperator<S>*>(&b);
  if (!sparse) return;
  for (Index j = 0; j < b.size(); ++j)
    for (typename Eigen::SparseMatrix<S>::InnerIterator entry(sparse->matrix(), j); entry; ++entry)
      if (entry.row() != j &&
          !(std::abs(entry.value()) < std::sqrt(diagonal(entry.row())) * std::sqrt(diagonal(j))))
        throw DataError(fmt::format(
            "B is not positive definite: row {}, column {} is {}, too large for a diagonal of {} and {}",
            entry.row() + 1, j + 1, entry.value(), diagonal(entry.row()), diagonal(j)));
}

template <class S>
void solve_direct(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options,
                  GevpResult<S>& result) {
  auto pairs = solve_pencil<S>(to_dense<S>(a), to_dense<S>(b), options.components, options.smallest);
  fix_signs(pairs.vectors);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
}

template <class S>
void solve_landing(OperatorPtr<S> a, OperatorPtr<S> b, const GevpOptions& options, double tolerance,
                   GevpResult<S>& result) {
  const bool factor = !options.smallest && can_factor(*b);
  const Direction direction =
      options.direction.value_or(factor ? Direction::riemannian : Direction::preconditioned);
  if (!options.direction) result.reason += fmt::format("; {} direction", to_string(direction));
  StiefelBlock<S> block{b, options.components, {.direction = direction, .normal = Normal::newton}};
  if (direction == Direction::preconditioned)
    block.field.preconditioner = sketch_preconditioner<S>(
        *b, {.rank = std::max<Index>(64, 2 * options.components), .seed = options.seed});
  if (direction == Direction::riemannian)
    block.field.preconditioner = inverse_preconditioner<S>(to_dense<S>(*b));
  QuadraticOracle<S> oracle(a, options.smallest ? 1 : -1, block);

  SolverOptions<S> solver_options{
      .step = {.rule = StepRule::barzilai_borwein},
      .stop = (stop::gradient(tolerance) && stop::feasibility(100 * tolerance)) ||
              stop::iterations(options.max_iterations ? options.max_iterations : 20000)};
  if (options.observer)
    solver_options.observer = [&](const Progress& progress, const Point<S>&) {
      return options.observer({progress.iteration, progress.stationarity, progress.infeasibility});
    };
  const auto found =
      solve<S>(oracle, {gaussian<S>(b->size(), options.components, {options.seed, 0})}, solver_options);
  if (found.termination == Termination::infeasible_start)
    throw DataError("B is not positive definite: no start of full rank could be made B-orthonormal");
  if (found.termination == Termination::diverged)
    throw NumericalError(fmt::format("landing diverged after {} iterations", found.progress.iteration));
  auto pairs = rayleigh_ritz<S>(*a, *b, found.x[0], options.smallest);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
  result.iterations = found.progress.iteration;
  result.termination = found.termination;
}

/// The smallest eigenvalues are the negated largest ones of (-A, B). A tolerance of 0 is the baseline's own.
template <class S>
void solve_by_baseline(const Baseline& baseline, OperatorPtr<S> a, OperatorPtr<S> b,
                       const GevpOptions& options, double tolerance, GevpResult<S>& result) {
  const auto turned = std::make_shared<CallbackOperator<S>>(a->size(), [&](In<S> x, Out<S> y) {
    a->apply(x, y);
    y = -y;
  });
  BaselineOptions<S> baseline_options{.components = options.components,
                                      .step = options.step,
                                      .tolerance = tolerance,
                                      .iterations = options.max_iterations,
                                      .seed = options.seed};
  if (options.observer)
    baseline_options.observer = [&](const Progress& progress, const Point<S>&) {
      return options.observer({progress.iteration, progress.stationarity, progress.infeasibility});
    };
  const auto found =
      solve_baseline<S>(baseline, {options.smallest ? OperatorPtr<S>(turned) : a, b}, baseline_options);
  result.iterations = found.progress.iteration;
  result.termination = found.termination;
  if (found.termination == Termination::diverged)
    throw NumericalError(
        fmt::format("{} diverged after {} iterations", baseline.name, found.progress.iteration));
  auto pairs = rayleigh_ritz<S>(*a, *b, found.x[0], options.smallest);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
}

/// The smallest eigenvalues of a sparse A by an incomplete factor of it; other directions by the diagonal of B.
template <class S>
void solve_lobpcg(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options,
                  double tolerance, GevpResult<S>& result) {
  const bool direct = 5 * options.components > a.size();  // by LAPACK
  const PreconditionerPtr<S> inverse = options.smallest && !direct ? incomplete_inverse<S>(a) : nullptr;
  if (inverse) result.reason += "; preconditioned by an incomplete Cholesky factor of A";
  LobpcgOptions lobpcg_options{
      .components = options.components,
      .smallest = options.smallest,
      .tolerance = tolerance,
      .max_iterations = static_cast<int>(
          options.max_iterations > 0 ? std::min<std::uint64_t>(options.max_iterations, 1'000'000) : 1000),
      .seed = options.seed};
  if (options.observer)
    lobpcg_options.observer = [&](int iteration, double residual) {
      return options.observer({static_cast<std::uint64_t>(iteration), residual, 0});
    };
  auto found = lobpcg<S>(a, b, lobpcg_options, inverse);
  result.iterations = static_cast<std::uint64_t>(found.iterations);
  result.termination = found.converged()                        ? Termination::converged
                       : found.end == LobpcgEnd::stopped        ? Termination::stopped
                       : found.end == LobpcgEnd::max_iterations ? Termination::iteration_limit
                                                                : Termination::no_progress;
  fix_signs(found.vectors);
  result.values = std::move(found.values);
  result.vectors = std::move(found.vectors);
}

/// There is an eigenvalue within ||A x - lambda B x|| in the norm of B^-1 of each lambda, x'Bx = 1. A method that stops by
/// the plain norm may be far from one where B is ill-conditioned. Looked at where B is a dense matrix of moderate size.
template <class S>
void warn_of_distance(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                      const Eigenpairs<S>& pairs, GevpResult<S>& result) {
  constexpr S kMostDistance = S(1e-3);
  const auto* dense = dynamic_cast<const DenseOperator<S>*>(&b);
  if (dense == nullptr || b.size() > kDirectLimit || result.method == GevpMethod::direct ||
      result.termination != Termination::converged)  // which is said anyway
    return;
  Matrix<S> residual(b.size(), pairs.vectors.cols()), bx(residual.rows(), residual.cols());
  a.apply(pairs.vectors, residual);
  b.apply(pairs.vectors, bx);
  residual -= bx * pairs.values.asDiagonal();
  Matrix<S> factor = dense->matrix();
  factor_positive_definite<S>(factor);
  factor.template triangularView<Eigen::Lower>().solveInPlace(residual);
  const S distance = residual.colwise().norm().maxCoeff(), largest = pairs.values.cwiseAbs().maxCoeff();
  if (distance <= kMostDistance * largest) return;
  result.warnings.push_back(
      fmt::format("B is so ill-conditioned that eigenvalues of {} may be off by {:.1e} of the largest; "
                  "--method direct is not",
                  result.method_name, static_cast<double>(distance / largest)));
}

/// NumericalError where a number is not finite or the vectors are not B-orthonormal; a warning where the method
/// ended too early.
template <class S>
void judge(GevpResult<S>& result) {
  if (!result.values.allFinite() || !result.vectors.allFinite() || !std::isfinite(result.stationarity) ||
      !std::isfinite(result.infeasibility))
    throw NumericalError(fmt::format("{} found no finite eigenpairs", result.method_name));
  if (result.infeasibility > kMostInfeasibility)
    throw NumericalError(fmt::format(
        "{} found vectors with ||X'BX - I|| = {:.2g}, expected at most {}: B is too ill-conditioned",
        result.method_name, result.infeasibility, kMostInfeasibility));
  if (result.termination == Termination::converged || result.termination == Termination::stopped) return;
  result.warnings.push_back(fmt::format(
      "{} did not converge: it {} after {} iterations, and the largest residual is {:.1e}",
      result.method_name,
      result.termination == Termination::iteration_limit ? "reached the iteration limit" : "stagnated",
      result.iterations, result.stationarity));
}

}  // namespace

std::pair<GevpMethod, std::string> choose_gevp_method(const GevpOptions& options, Index n) {
  if (options.method != GevpMethod::automatic) return {options.method, "requested"};
  if (n <= kDirectLimit)
    return {GevpMethod::direct,
            fmt::format("n = {} is at most {}, so a dense solve is cheap", n, kDirectLimit)};
  if (5 * options.components > n)
    return {GevpMethod::direct,
            fmt::format("{} components are more than a fifth of n = {}", options.components, n)};
  return {GevpMethod::lobpcg,
          fmt::format("n = {} is above {}, so only products with A and B are used", n, kDirectLimit)};
}

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
  const std::string many = fmt::format("{} components requested for {}x{} matrices, expected 1 to {}",
                                       options.components, n, n, n);
  if (options.components < 1) throw UsageError(many);
  if (options.components > n) throw NumericalError(many);
  if (!(options.tolerance >= 0))
    throw UsageError(fmt::format("the tolerance must not be negative, got {}", options.tolerance));
  const double tolerance = options.tolerance > 0      ? options.tolerance
                           : std::is_same_v<S, float> ? 1e-5
                                                      : 1e-10;

  GevpResult<S> result;
  const Baseline* baseline =
      options.baseline.empty() ? nullptr : &find_baseline(options.baseline, Problem::gevp);
  if (baseline) {
    result.method = GevpMethod::baseline;
    result.reason = "requested";
  } else {
    std::tie(result.method, result.reason) = choose_gevp_method(options, n);
  }
  result.method_name = baseline ? baseline->name : to_string(result.method);
  if (result.method != GevpMethod::direct) check_b(*b);  // as given: its entries are in the messages
  const ScaledPencil<S> scaled(std::move(a), std::move(b));
  ThreadPool pool(threads());
  const ThreadPool::Use use(pool);
  switch (result.method) {
    case GevpMethod::lobpcg:
      solve_lobpcg<S>(*scaled.a(), *scaled.b(), options, tolerance, result);
      if (5 * options.components > n)
        result.reason += fmt::format("; LAPACK is used because {} components are more than a fifth of n = {}",
                                     options.components, n);
      break;
    case GevpMethod::landing:
      solve_landing<S>(scaled.a(), scaled.b(), options, tolerance, result);
      break;
    case GevpMethod::baseline:
      solve_by_baseline<S>(*baseline, scaled.a(), scaled.b(), options, options.tolerance, result);
      break;
    default:
      solve_direct<S>(*scaled.a(), *scaled.b(), options, result);
      break;
  }
  // Powers of two change neither residuals nor X'BX; residuals are those in even units.
  Eigenpairs<S> pairs{std::move(result.values), std::move(result.vectors)};
  auto quality = pair_quality<S>(*scaled.a(), *scaled.b(), pairs);
  warn_of_distance<S>(*scaled.a(), *scaled.b(), pairs, result);
  scaled.restore(pairs);
  result.values = std::move(pairs.values);
  result.vectors = std::move(pairs.vectors);
  result.residuals = std::move(quality.residuals);
  result.stationarity = static_cast<double>(result.residuals.maxCoeff());
  result.infeasibility = static_cast<double>(quality.infeasibility);
  judge(result);
  return result;
}

LANDFALL_GEVP(, float)
LANDFALL_GEVP(, double)

}  // namespace landfall
