// What solve_gevp would do, and why, without doing it.
//
//   #include <landfall/linalg/operator.hpp>
//   auto a = std::make_shared<landfall::DenseOperator<double>>(stiffness);
//   auto b = std::make_shared<landfall::DenseOperator<double>>(mass);
//   const auto plan = landfall::plan_gevp<double>(*a, *b, {.components = 5});
//   use(plan.method, plan.reason, plan.direct.seconds, plan.lobpcg.seconds);
#pragma once

#include <landfall/models/fit/plan.hpp>
#include <landfall/models/gevp/gevp.hpp>

namespace landfall {

struct GevpPlan {
  GevpMethod method = GevpMethod::direct;
  std::string reason{};
  Cost direct{}, lobpcg{};
};

/// How many iterations LOBPCG takes depends on the spectrum; its time is that of kPlannedIterations.
inline constexpr double kPlannedIterations = 50;

template <class S>
GevpPlan plan_gevp(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options);

#define LANDFALL_GEVP_PLAN(EXTERN, S)                                                             \
  EXTERN template GevpPlan plan_gevp<S>(const SymmetricOperator<S>&, const SymmetricOperator<S>&, \
                                        const GevpOptions&);
LANDFALL_GEVP_PLAN(extern, float)
LANDFALL_GEVP_PLAN(extern, double)

}  // namespace landfall
