// Registry of the baselines, by name.
//
//   const landfall::Baseline& baseline = landfall::find_baseline("plam");
//   const auto result = landfall::solve_baseline<double>(baseline, {a, b}, {.components = 5});    // A x = lambda B x
//   for (const landfall::Baseline& one : landfall::baselines()) use(one.name, one.text);
//
// A method is one file, methods/NAME.cpp, that defines NAME_methods(); CMake puts it on the list. The file gives the
// method in whichever of the forms below suits it, and the method then solves every problem that has this form.
#pragma once

#include <landfall/baselines/view_products.hpp>
#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/result.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace landfall {

template <class S>
struct BaselineOptions {
  Index components = 1;           // p
  std::array<double, 2> ridge{};  // of each view of a stream, absolute
  double step = 0;                // size of the first step; 0: chosen from the data
  /// Weight of the constraint: omega of the landing methods, beta of plam and pcal. Unset: chosen from the data.
  std::optional<double> omega = {};
  /// Methods on streams: passes after which the step is divided by ten; empty: a constant step. Unset: the
  /// schedule of the method.
  std::optional<std::vector<double>> milestones = {};
  /// Start of the landing methods, of rgd-rolling, and of the methods that see all of A and B and start from p columns.
  /// Empty: random columns, orthonormal in the metric of B (of the first batch of a stream).
  Point<S> start = {};
  double passes = 4;             // over a stream
  double tolerance = 0;          // other methods: relative residual; 0: 1e-7, 1e-4 in single precision
  std::uint64_t iterations = 0;  // other methods: at most so many; 0: 20000
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes that the method may use
  std::uint64_t seed = 0;
  /// Called after every step, not counted in the time; false ends the run. The point is empty where a method has
  /// none at hand.
  std::function<bool(const Progress&, const Point<S>&)> observer = {};
};

/// Minimise f(X) subject to X'BX = I.
template <class S>
struct StiefelProblem {
  /// f and, unless null, its Euclidean gradient.
  std::function<S(const Matrix<S>& x, Matrix<S>* gradient)> f;
  OperatorPtr<S> b;
};

/// Rows, already whitened: E z z' = I.
template <class S>
struct WhitenedRows {
  Matrix<S> z;             // a column per row of the data
  Vector<S> weights = {};  // of these rows, with their number as the sum; empty: all 1
};

/// CCA by batches of two views: X and Y, any basis of the subspaces. ICA (mixtures) by those of one, centred but
/// not whitened: X, whose columns give the sources a'x.
template <class S>
using StreamSolver = Result<S> (*)(DataStream<S>& stream, const BaselineOptions<S>& options);
/// CCA by products with the second moments of the views: X and Y.
template <class S>
using ViewSolver = Result<S> (*)(const ViewProducts<S>& views, const BaselineOptions<S>& options);
/// The largest eigenvalues of a pencil: any basis of the span of their vectors.
template <class S>
using PencilSolver = Result<S> (*)(const Pencil<S>& pencil, const BaselineOptions<S>& options);
template <class S>
using StiefelSolver = Result<S> (*)(const StiefelProblem<S>& problem, const BaselineOptions<S>& options);
/// ICA: W, square, such that the sources are W z.
template <class S>
using SourceSolver = Result<S> (*)(const WhitenedRows<S>& rows, const BaselineOptions<S>& options);

template <template <class> class Solver>
struct BothScalars {
  Solver<float> single = nullptr;
  Solver<double> wide = nullptr;
  explicit operator bool() const { return wide != nullptr; }
  template <class S>
  Solver<S> get() const {
    if constexpr (std::is_same_v<S, float>)
      return single;
    else
      return wide;
  }
};

enum class Origin {
  read,           // from the paper or the authors' code
  reconstructed,  // from descriptions and standard theory
  own,            // our extension of somebody else's method
};
std::string_view to_string(Origin origin);

enum class Problem { cca, gevp, ica };

struct Baseline {
  std::string_view name;    // of --method
  std::string_view text;    // one line
  std::string_view source;  // who published it
  Origin origin = Origin::read;
  std::string_view memory;  // beside the data: "n p"
  BothScalars<StreamSolver> stream = {};
  BothScalars<StreamSolver> mixtures = {};
  BothScalars<ViewSolver> views = {};
  BothScalars<PencilSolver> pencil = {};
  BothScalars<StiefelSolver> stiefel = {};
  BothScalars<SourceSolver> sources = {};

  bool solves(Problem problem) const;
};

std::span<const Baseline> baselines();

/// UsageError with the names there are.
const Baseline& find_baseline(std::string_view name);
/// The same where the method must be one for a problem.
const Baseline& find_baseline(std::string_view name, Problem problem);
/// Null where there is none.
const Baseline* find_baseline_or_null(std::string_view name);

/// The largest eigenvalues of a pencil; of -A for the smallest.
template <class S>
Result<S> solve_baseline(const Baseline& baseline, const Pencil<S>& pencil,
                         const BaselineOptions<S>& options);
/// CCA by a method that is not given as a StreamSolver.
template <class S>
Result<S> solve_baseline(const Baseline& baseline, std::shared_ptr<const ViewProducts<S>> views,
                         const BaselineOptions<S>& options);

#define LANDFALL_REGISTRY(EXTERN, S)                                                                         \
  EXTERN template Result<S> solve_baseline<S>(const Baseline&, const Pencil<S>&, const BaselineOptions<S>&); \
  EXTERN template Result<S> solve_baseline<S>(const Baseline&, std::shared_ptr<const ViewProducts<S>>,       \
                                              const BaselineOptions<S>&);
LANDFALL_REGISTRY(extern, float)
LANDFALL_REGISTRY(extern, double)

}  // namespace landfall
