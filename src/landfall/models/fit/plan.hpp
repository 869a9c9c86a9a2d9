// The cost of the exact method and of landing, and the choice between them.
//
//   const landfall::Workload work{.rows = 60'000, .features = {392, 392}, .components = 5};
//   const auto plan = landfall::make_plan<float>(work, std::uint64_t{2} << 30);    // bytes of memory
//   use(plan.exact_is_chosen, plan.reason, plan.landing.seconds, plan.landing.bytes);
//
// The model counts what each method does per row, per step and once, and divides by the rates.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/linalg/types.hpp>
#include <landfall/models/fit/machine_rates.hpp>
#include <landfall/models/fit/method.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace landfall {

struct Workload {
  Index rows = 0;
  std::vector<Index> features{};     // of each view
  std::optional<double> nonzeros{};  // entries of a sparse row, all views; unset: rows are dense
  double reading = 0;                // seconds to read one row of all views
  double statistics = 0;             // seconds that its part in mean and variance takes
  double held = 0;                   // bytes that reading takes: mapped files, rows that are shuffled
  Index components = 1;              // p
  double squares = 0;     // bytes of n x n matrices that exact has; 0: of each covariance and a working copy
  int more_readings = 0;  // beside mean, covariances or passes: means of classes, evaluation
  // Of landing:
  Index columns = 0;  // p with the guard columns; 0: p
  Index batch = 128, rank = 64,
        first_rows = 4096;     // see choose_sizes(); rank: by hand, or of other estimators
  std::vector<Index> ranks{};  // of K of each view; its columns: a complete basis
  double passes = 4;
  int warm_up = 8;
  bool kept = false;  // all rows are read twice, for the mean and to be kept, and no more
};

/// Sizes that are left to landing, where they are 0: the batch, large enough for p columns, and larger for
/// sparse rows, whose products cost little beside the n x p blocks; the rank of the sketch, which for dense
/// rows may grow to twice the batch. That and the first rows take at most an eighth of the memory each.
template <class S>
void choose_sizes(Workload& work, std::uint64_t memory);

struct Cost {
  std::uint64_t bytes = 0;  // in peak memory, with the program itself
  double seconds = 0;       // 0: not known, since no rates were given
  double passes = 0;        // over the rows, beside those for the mean and the evaluation; 0: no rows
};

/// What is known of a run of CCA or LDA by landing before it begins.
struct PassForecast {
  double rows = 0, first_rows = 0;  // N, m
  double noise = 0;  // q of one row (landing/subspace/validated_inverse.hpp); of light tails about n
  Vector<double> values = {};  // the correlations on the first rows; empty: unknown
  double tolerance = 1e-3, most = 32;
};

/// Passes until the estimated gap is below the tolerance: after the first it is about 0.8 (q/N) sum((1 - rho^2)/rho)/sum(rho), and each
/// further one leaves about 1.5 q/m of it, because K comes from m rows (measured; docs/method.md).
double predicted_passes(const PassForecast& forecast);

/// Covariances in one pass, then LAPACK.
template <class S>
Cost exact_cost(const Workload& work, const MachineRates* rates);

template <class S>
Cost landing_cost(const Workload& work, const MachineRates* rates);

/// UsageError where the method needs more than that beside the program.
template <class S>
void require_memory(const Workload& work, std::uint64_t memory, FitMethod method);

struct Plan {
  bool exact_is_chosen = true;
  std::string reason{};
  Cost exact{}, landing{};
};

/// Exact when it fits in so much memory beside the program and takes less time, or ten seconds at most, else landing.
/// Without rates by memory alone.
template <class S>
Plan make_plan(const Workload& work, std::uint64_t memory, const MachineRates* rates);

/// Measures the machine only where the choice depends on it and takes longer than that.
template <class S>
Plan make_plan(const Workload& work, std::uint64_t memory);

/// To be shown: with rates measured now; what was requested is chosen, or what make_plan() would choose.
template <class S>
Plan shown_plan(const Workload& work, std::uint64_t memory, FitMethod asked);

/// exact or landing, and why.
struct MethodChoice {
  FitMethod method = FitMethod::exact;
  std::string reason = "requested";
};
template <class S>
MethodChoice choose_method(FitMethod asked, const Workload& work, std::uint64_t memory);

/// What the first rows of a source tell; it is back at its first row afterwards. The rows of a file that does
/// not say how many it has are counted by reading it.
struct SourceSample {
  Index rows = 0;
  double reading = 0;     // seconds per row
  double nonzeros = 0;    // entries per row that are stored
  double statistics = 0;  // seconds per row, for its part in mean and variance
  double held = 0;        // bytes that reading takes: the mapped file, or rows that are shuffled
};

template <class S>
SourceSample sample_source(Source<S>& source);

/// "1.5 GiB", "390 MiB"; "0.12 s", "3 min 20 s".
std::string memory_text(std::uint64_t bytes);
std::string time_text(double seconds);

#define LANDFALL_PLAN(EXTERN, S)                                                            \
  EXTERN template void choose_sizes<S>(Workload&, std::uint64_t);                           \
  EXTERN template Cost exact_cost<S>(const Workload&, const MachineRates*);                 \
  EXTERN template Cost landing_cost<S>(const Workload&, const MachineRates*);               \
  EXTERN template void require_memory<S>(const Workload&, std::uint64_t, FitMethod);        \
  EXTERN template Plan make_plan<S>(const Workload&, std::uint64_t, const MachineRates*);   \
  EXTERN template Plan make_plan<S>(const Workload&, std::uint64_t);                        \
  EXTERN template Plan shown_plan<S>(const Workload&, std::uint64_t, FitMethod);            \
  EXTERN template MethodChoice choose_method<S>(FitMethod, const Workload&, std::uint64_t); \
  EXTERN template SourceSample sample_source<S>(Source<S>&);
LANDFALL_PLAN(extern, float)
LANDFALL_PLAN(extern, double)

}  // namespace landfall
