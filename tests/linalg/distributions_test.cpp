// Tail probabilities against those of SciPy 1.10 (scipy.stats.chi2.sf, scipy.stats.f.sf), and their laws.
#include <landfall/linalg/distributions.hpp>

#include <cmath>

#include "support.hpp"

namespace landfall::test {
namespace {

TEST(Distributions, ChiSquaredIsSciPys) {
  const std::array<std::array<double, 3>, 6> known{{{16.2, 9, 0.06282072061787972},
                                                    {0.5, 3, 0.9188914116546758},
                                                    {200, 100, 1.1784500720979781e-08},
                                                    {700, 100, 8.658230861323775e-91},
                                                    {1, 0.5, 0.15351359580832247},
                                                    {1e5, 99000, 0.012503086996302763}}};
  for (const auto& [x, degrees, p] : known) EXPECT_NEAR(chi_squared_tail(x, degrees) / p, 1, 1e-8) << x;
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
  EXPECT_EQ(chi_squared_tail(std::numeric_limits<double>::infinity(), 3), 0);
  for (const double x : {0.1, 1.0, 7.0}) EXPECT_NEAR(chi_squared_tail(x, 2), std::exp(-x / 2), 1e-14);
}

TEST(Distributions, FIsSciPys) {
  const std::array<std::array<double, 4>, 6> known{{{2.05, 9, 34.223, 0.063306216382977},
                                                    {0.1, 3, 1000, 0.9600087464217013},
                                                    {11.715, 15, 1634.653, 7.53217576060586e-28},
                                                    {50, 2, 4, 0.0014792899408284025},
                                                    {1.02, 2500, 9000.5, 0.26548716945301304},
                                                    {300, 1, 5, 1.1752060088232396e-05}}};
  for (const auto& [x, a, b, p] : known) EXPECT_NEAR(f_tail(x, a, b) / p, 1, 1e-8) << x;
  EXPECT_EQ(f_tail(0, 3, 4), 1);
  EXPECT_EQ(f_tail(std::numeric_limits<double>::infinity(), 3, 4), 0);
  EXPECT_NEAR(f_tail(2, 5, 7) + f_tail(0.5, 7, 5), 1, 1e-14);  // 1/F has the degrees exchanged
}

}  // namespace
}  // namespace landfall::test
