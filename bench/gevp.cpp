// solve_gevp, as `landfall gevp --method auto` calls it after reading, against LAPACK's own driver:
// n = 1000, p = 500.
#include <landfall/data/synthetic/pencil.hpp>
#include <landfall/models/gevp/gevp.hpp>

#include "timing.hpp"
#include <lapacke.h>

int main() {
  using namespace landfall;
  const SyntheticPencil pencil = make_pencil({.size = 1000, .condition = 100});
  const auto a = std::make_shared<DenseOperator<double>>(pencil.a);
  const auto b = std::make_shared<DenseOperator<double>>(pencil.b);
  GevpResult<double> ours;

  Matrix<double> a_copy, b_copy;
  Vector<double> values(1000);
  const auto copy = [&] {
    a_copy = pencil.a;
    b_copy = pencil.b;
  };
  const auto sygvd = [&] {
    LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', 1000, a_copy.data(), 1000, b_copy.data(), 1000,
                   values.data());
  };
  const auto times =
      bench::interleave({.rounds = 21, .seconds = 60},
                        {{[&] { ours = solve_gevp<double>(a, b, {.components = 500}); }}, {sygvd, copy}});

  const double error = (ours.values - values.tail(500).reverse()).cwiseAbs().maxCoeff() / values(999);
  fmt::print(
      "gevp ({}): {:.0f} ms, dsygvd {:.0f} ms (medians); {:.0f} and {:.0f} (best); eigenvalues agree to "
      "{:.1e}\n",
      to_string(ours.method), 1e3 * times[0].median, 1e3 * times[1].median, 1e3 * times[0].best,
      1e3 * times[1].best, error);
  bench::report("gevp_over_dsygvd", bench::ratio(times[0], times[1]));
  bench::report("gevp_over_dsygvd_medians", times[0].median / times[1].median);
  bench::report("gevp_over_dsygvd_best", times[0].best / times[1].best);
}
