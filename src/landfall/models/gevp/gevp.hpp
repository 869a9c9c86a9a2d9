// The generalized eigenproblem A x = lambda B x: the p largest (or smallest) eigenvalues and their vectors,
// with X'BX = I.
//
//   auto a = std::make_shared<landfall::DenseOperator<double>>(stiffness);
//   auto b = std::make_shared<landfall::DenseOperator<double>>(mass);
//   const auto result = landfall::solve_gevp<double>(a, b, {.components = 5});
//   use(result.values);     // descending; ascending with .smallest
//   use(result.vectors);    // B-orthonormal columns, the largest entry of each positive
#pragma once

#include <landfall/landing/result.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/manifold/field.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace landfall {

enum class GevpMethod {
  automatic,  // direct while n^3 is cheap, lobpcg beyond
  direct,     // A and B written out, LAPACK
  lobpcg,     // products with A and B; the smallest by an incomplete factor of a sparse A
  landing,    // the paper's method, with any direction
  baseline,   // another, by its name
};

std::string_view to_string(GevpMethod method);
GevpMethod parse_gevp_method(std::string_view name);

struct GevpProgress {
  std::uint64_t iteration = 0;
  double residual = 0;       // the largest relative residual (lobpcg), or the stationarity (landing)
  double infeasibility = 0;  // ||X'BX - I||_F; 0 for methods that stay feasible
};

struct GevpOptions {
  Index components = 1;  // p
  bool smallest = false;
  GevpMethod method = GevpMethod::automatic;
  std::string baseline = {};  // of baselines/registry.hpp; then it is the method
  double step = 0;            // of the baseline; 0: from the data
  /// Of landing. Unset: riemannian (K = B^-1) for the largest eigenvalues where a factor of B is affordable
  /// (a dense matrix, or a sparse one with n <= 2500), otherwise preconditioned by a sketch of B. The
  /// smallest are crowded in the metric of B when the spectrum is wide, and the sketch then does better.
  std::optional<Direction> direction = {};
  /// Of the method's own relative residual: per pair in the norms of A and B (lobpcg), of the whole block
  /// (landing). 0: 1e-10 in double, 1e-5 in single precision.
  double tolerance = 0;
  std::uint64_t max_iterations = 0;  // 0: 1000 for lobpcg, 20000 for landing
  std::uint64_t seed = 0;
  std::function<bool(const GevpProgress&)> observer = {};  // false ends the run
};

template <class S>
struct GevpResult {
  Vector<S> values;
  Matrix<S> vectors;
  Vector<S>
      residuals;  // ||A x - lambda B x|| / (||A x|| + |lambda| ||B x||) per pair, in even units (pencil_scale.hpp)
  double infeasibility = 0;  // ||X'BX - I||_F of these vectors
  double stationarity = 0;   // the largest of the residuals
  GevpMethod method = GevpMethod::direct;
  std::string_view method_name;  // of a baseline its own
  std::string reason;            // why this method
  std::uint64_t iterations = 0;
  Termination termination = Termination::converged;
  std::vector<std::string> warnings;  // a sentence each
};

/// What `automatic` stands for with matrices of this size, and why.
std::pair<GevpMethod, std::string> choose_gevp_method(const GevpOptions& options, Index n);

/// Throws UsageError when the sizes or p make no sense, DataError when B is not positive definite: by
/// Cholesky for a dense B and a sparse one up to n = 2500, otherwise by what its entries and the method's
/// products show; NumericalError when an eigenvalue is too large or too small for S, or the numbers fail. A
/// method that reached its limit has a warning.
template <class S>
GevpResult<S> solve_gevp(OperatorPtr<S> a, OperatorPtr<S> b, const GevpOptions& options);

#define LANDFALL_GEVP(EXTERN, S) \
  EXTERN template GevpResult<S> solve_gevp<S>(OperatorPtr<S>, OperatorPtr<S>, const GevpOptions&);
LANDFALL_GEVP(extern, float)
LANDFALL_GEVP(extern, double)

}  // namespace landfall
