#include <landfall/models/gevp/gevp_plan.hpp>

#include <chrono>
#include <tuple>

namespace landfall {
namespace {

/// Seconds of a product with a few columns, by trying.
template <class S>
double product_seconds(const SymmetricOperator<S>& m, Index columns) {
  const Matrix<S> x = Matrix<S>::Ones(m.size(), columns);
  Matrix<S> y(m.size(), columns);
  const auto begin = std::chrono::steady_clock::now();
  m.apply(x, y);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

template <class S>
GevpPlan plan_gevp(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const GevpOptions& options) {
  const MachineRates rates = measure_machine<S>();
  const double n = static_cast<double>(a.size()), p = static_cast<double>(options.components);
  const double size = static_cast<double>(sizeof(S)), program = 48 << 20;
  const bool dense_a = dynamic_cast<const DenseOperator<S>*>(&a),
             dense_b = dynamic_cast<const DenseOperator<S>*>(&b);
  const double given = size * n * n * ((dense_a ? 1 : 0) + (dense_b ? 1 : 0));
  GevpPlan plan;
  std::tie(plan.method, plan.reason) = choose_gevp_method(options, a.size());
  // A and B written out and worked upon, and the vectors.
  plan.direct = {static_cast<std::uint64_t>(program + given + size * n * (3 * n + p)),
                 n * n * n / rates.eigen};
  // A, B and their products with the basis [X W P] of 3p columns, whose Gram matrices are most of the rest.
  const double step = product_seconds(a, options.components) + product_seconds(b, options.components) +
                      30 * n * p * p / rates.thin + 40 * n * p / rates.blocks;
  plan.lobpcg = {static_cast<std::uint64_t>(program + given + size * n * 15 * p), kPlannedIterations * step};
  return plan;
}

LANDFALL_GEVP_PLAN(, float)
LANDFALL_GEVP_PLAN(, double)

}  // namespace landfall
