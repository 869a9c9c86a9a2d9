// Lanczos with implicit restarts (Spectra's SymGEigsSolver, in the inner product of B): solves with B are by
// conjugate gradients, so that products are all it takes. Built where Spectra was found.
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/conjugate_gradients.hpp>

#ifdef LANDFALL_HAS_SPECTRA

#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>

#include <Spectra/SymGEigsSolver.h>
#include <fmt/format.h>

namespace landfall {
namespace {

/// What Spectra asks of A and of B.
template <class S>
class Operation {
 public:
  using Scalar = S;
  explicit Operation(const SymmetricOperator<S>& op) : op_(op) {}
  Index rows() const { return op_.size(); }
  Index cols() const { return op_.size(); }
  void perform_op(const S* x, S* y) const { op_.apply(column(x), Eigen::Map<Matrix<S>>(y, rows(), 1)); }
  void solve(const S* x, S* y) const {
    Eigen::Map<Matrix<S>> solution(y, rows(), 1);
    solution.setZero();
    conjugate_gradients<S>(op_, column(x), solution,
                           {.steps = 1000, .tolerance = 10 * std::numeric_limits<S>::epsilon()});
  }

 private:
  Eigen::Map<const Matrix<S>> column(const S* x) const { return {x, rows(), 1}; }

  const SymmetricOperator<S>& op_;
};

template <class S>
Result<S> solve_lanczos(const Pencil<S>& pencil, const BaselineOptions<S>& options) {
  PencilRun<S> run(*pencil.b, options);
  const Index n = pencil.b->size(), p = options.components;
  if (p >= n)
    throw UsageError(fmt::format("lanczos finds at most n - 1 = {} components, got p = {}", n - 1, p));
  Operation<S> a(*pencil.a), b(*pencil.b);
  Spectra::SymGEigsSolver<Operation<S>, Operation<S>, Spectra::GEigsMode::RegularInverse> solver(
      a, b, p, std::min(n, std::max<Index>(2 * p + 1, 20)));
  const Vector<S> start = gaussian<S>(n, 1, {options.seed, 0x1a2});
  solver.init(start.data());
  const Index limit = options.iterations > 0 ? static_cast<Index>(options.iterations) : 1000;
  solver.compute(Spectra::SortRule::LargestAlge, limit, static_cast<S>(run.tolerance()),
                 Spectra::SortRule::LargestAlge);
  Result<S> result = run.finish(Matrix<S>(solver.eigenvectors()));
  result.progress.iteration = static_cast<std::uint64_t>(solver.num_iterations());
  result.termination =
      solver.info() == Spectra::CompInfo::Successful ? Termination::converged : Termination::iteration_limit;
  return result;
}

}  // namespace

std::vector<Baseline> lanczos_methods() {
  return {{.name = "lanczos",
           .text = "Lanczos with implicit restarts, by Spectra",
           .source = "Lanczos 1950, Sorensen 1992",
           .memory = "n max(2 p, 20)",
           .pencil = {solve_lanczos<float>, solve_lanczos<double>}}};
}

}  // namespace landfall

#else

namespace landfall {
std::vector<Baseline> lanczos_methods() {
  return {};
}
}  // namespace landfall

#endif
