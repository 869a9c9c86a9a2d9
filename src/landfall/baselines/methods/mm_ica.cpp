// Online majorisation-minimisation ICA (Ablin, Gramfort, Cardoso and Bach 2019): no step size, for
// super-Gaussian sources. Log cosh is majorised by parabolas with the weights u(y) = tanh(y)/y, and their
// statistics follow the batches:
//
//   T_i <- (1 - s) T_i + s E_b u(y_i) z z',   s = (t + 1)^-0.7,   y = W z
//   for every row i:   K = W T_i W',   k = K^-1 e_i,   W_i <- k'W / sqrt(k_i)
//
// p matrices of p x p are its memory.
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/linalg/products.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
Result<S> solve_mm_ica(const WhitenedRows<S>& rows, const BaselineOptions<S>& options) {
  const Index p = rows.z.rows(), batch = std::min<Index>(std::max<Index>(100, 2 * p), rows.z.cols());
  const double bytes = std::pow(static_cast<double>(p), 3) * sizeof(S);
  if (bytes > static_cast<double>(options.memory))
    throw UsageError(
        fmt::format("mm-ica keeps p^3 numbers: p = {} takes {:.3g} MiB, the memory limit is {:.3g} MiB", p,
                    bytes / (1 << 20), static_cast<double>(options.memory) / (1 << 20)));
  const IdentityPreconditioner<S> identity(p);
  PencilRun<S> run(identity, options, false);
  Matrix<S> w = Matrix<S>::Identity(p, p), y(p, batch), slope(p, batch), weighted(p, batch);
  Vector<S> weights(batch);
  std::vector<Matrix<S>> statistics(static_cast<std::size_t>(p), Matrix<S>::Zero(p, p));
  double steps = 0;
  const auto passes = static_cast<int>(std::ceil(options.passes));
  bool more = true;
  for (int pass = 0; pass < passes && more; ++pass)
    for (Index first = 0; first + batch <= rows.z.cols() && more; first += batch) {
      const auto z = rows.z.middleCols(first, batch);
      const S keep = static_cast<S>(1 - std::pow(++steps, -0.7));
      multiply<S>(w, z, y);
      logcosh_loop(y.data(), y.size(), S(1), slope.data());
      for (Index i = 0; i < p; ++i) {
        const auto at = y.row(i).transpose().array();
        weights = (at.abs() > S(1e-4))
                      .select(slope.row(i).transpose().array() / at, S(1))
                      .matrix();  // tanh(y)/y, 1 at 0
        if (rows.weights.size() > 0)
          weights = weights.cwiseProduct(rows.weights.segment(first, batch)).eval();
        weighted = z * weights.asDiagonal();
        multiply_bt<S>(weighted, z, statistics[static_cast<std::size_t>(i)],
                       (1 - keep) / static_cast<S>(batch), keep);
      }
      const Matrix<S> last = w;
      for (Index i = 0; i < p; ++i) {
        const Matrix<S> k = w * statistics[static_cast<std::size_t>(i)] * w.transpose();
        const Vector<S> column = solve_square<S>(k, Matrix<S>::Identity(p, p).col(i));
        w.row(i) = column.transpose() * w / std::sqrt(column(i));
      }
      more = run.goes_on(static_cast<double>((w - last).norm() / last.norm()), 0, 0,
                         static_cast<double>(1 - keep), {});
    }
  auto result = run.finish(w);
  if (result.termination == Termination::running) result.termination = Termination::pass_limit;
  result.progress.passes = passes;
  return result;
}

}  // namespace

std::vector<Baseline> mm_ica_methods() {
  return {{.name = "mm-ica",
           .text = "online majorisation-minimisation, super-Gaussian sources",
           .source = "Ablin, Gramfort, Cardoso and Bach 2019",
           .memory = "N p + p^3",
           .sources = {solve_mm_ica<float>, solve_mm_ica<double>}}};
}

}  // namespace landfall
