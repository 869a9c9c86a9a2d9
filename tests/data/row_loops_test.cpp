// The loops of every instruction set that the processor has, against plain ones.
#include <landfall/data/rows/row_loops.hpp>
#include <landfall/linalg/random.hpp>

#include <cmath>
#include <limits>

#include "support.hpp"

namespace landfall::test {
namespace {

std::vector<InstructionSet> loop_sets() {
  std::vector<InstructionSet> all;
  for (const auto set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (set <= instruction_set()) all.push_back(set);
  return all;
}

template <class S>
class RowLoops : public ::testing::Test {};
TYPED_TEST_SUITE(RowLoops, Scalars);

TYPED_TEST(RowLoops, FindEveryNumberThatIsNotFinite) {
  using S = TypeParam;
  using Limits = std::numeric_limits<S>;
  for (const auto set : loop_sets())
    for (const Index n : {0, 1, 7, 16, 33, 100}) {
      Vector<S> row = gaussian<S>(n, 1, {1, 0});
      if (n > 0) row(0) = Limits::max();
      if (n > 1) row(1) = Limits::denorm_min();
      EXPECT_TRUE(all_finite<S>(row.data(), n, set)) << to_string(set) << n;
      for (Index j = 0; j < n; ++j)
        for (const S bad :
             {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
          Vector<S> changed = row;
          changed(j) = bad;
          EXPECT_FALSE(all_finite<S>(changed.data(), n, set)) << to_string(set) << n << ' ' << j;
        }
    }
}

TYPED_TEST(RowLoops, CentreAsInDoublePrecision) {
  using S = TypeParam;
  for (const auto set : loop_sets())
    for (const Index n : {1, 7, 16, 33, 100}) {
      const Vector<S> row = (gaussian<S>(n, 1, {1, 0}).array() + S(1000)).matrix();
      const Vector<double> mean = (gaussian<double>(n, 1, {2, 0}).array() + 1000).matrix();
      const Vector<double> inverse = gaussian<double>(n, 1, {3, 0}).cwiseAbs();
      Vector<S> out(n), in_place = row;
      centre(row.data(), out.data(), n, mean.data(), inverse.data(), set);
      centre(in_place.data(), in_place.data(), n, mean.data(), inverse.data(), set);
      EXPECT_EQ(out, in_place);
      for (Index j = 0; j < n; ++j) {
        const double expected = (static_cast<double>(row(j)) - mean(j)) * inverse(j);
        EXPECT_EQ(out(j), static_cast<S>(expected)) << to_string(set);
      }
    }
}

TYPED_TEST(RowLoops, SumsAndPowers) {
  using S = TypeParam;
  for (const auto set : loop_sets())
    for (const Index n : {1, 7, 16, 33, 100}) {
      Vector<S> row = gaussian<S>(n, 1, {1, 0});
      row(n / 2) = 0;
      const Vector<double> origin = gaussian<double>(n, 1, {2, 0}), mean = gaussian<double>(n, 1, {3, 0});
      const Vector<double> a = row.template cast<double>(), d = a - origin - mean;
      Vector<double> sum = Vector<double>::Ones(n), min = Vector<double>::Zero(n), max = min, rest = sum,
                     squares = sum, cubes = sum, fourths = sum;
      const ColumnSums sums{origin.data(), sum.data(),     min.data(),   max.data(),    mean.data(),
                            rest.data(),   squares.data(), cubes.data(), fourths.data()};
      EXPECT_EQ(add_to_sums(row.data(), n, sums, set), n - 1) << to_string(set);
      add_to_powers(row.data(), n, sums, set);
      const auto near = [&](const Vector<double>& found, const Eigen::ArrayXd& expected) {
        EXPECT_TRUE(((found.array() - 1 - expected).abs() <= 1e-14 * (1 + expected.abs())).all())
            << to_string(set);
      };
      near(sum, (a - origin).array());
      EXPECT_EQ(min, a.cwiseMin(0));
      EXPECT_EQ(max, a.cwiseMax(0));
      near(rest, d.array());
      near(squares, d.array().square());
      near(cubes, d.array().cube());
      near(fourths, d.array().square().square());
    }
}

}  // namespace
}  // namespace landfall::test
