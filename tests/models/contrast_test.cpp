#include <landfall/models/ica/contrast.hpp>

#include <cmath>
#include <numbers>

#include "../support.hpp"

namespace landfall::test::contrast_test {

template <class S>
class Contrasts : public test::Typed<S> {};
TYPED_TEST_SUITE(Contrasts, test::Scalars);

/// 0, all sizes from 2^-40 to 2^9 with both signs, the largest and infinite numbers.
template <class S>
Vector<S> sizes() {
  std::vector<S> all{0, std::numeric_limits<S>::denorm_min(), std::numeric_limits<S>::max(),
                     std::numeric_limits<S>::infinity()};
  for (S u = std::exp2(S(-40)); u < 512; u *= S(1.003)) all.push_back(u);
  for (std::size_t i = all.size(); i > 0; --i) all.push_back(-all[i - 1]);
  return Vector<S>::Map(all.data(), static_cast<Index>(all.size()));
}

TYPED_TEST(Contrasts, HyperbolicTangentsAreThoseOfTheLibrary) {
  using S = TypeParam;
  const double eps = static_cast<double>(std::numeric_limits<S>::epsilon());
  const Vector<S> u = sizes<S>();
  Vector<S> t(u.size());
  logcosh_loop(u.data(), u.size(), S(1), t.data());
  for (Index i = 0; i < u.size(); ++i) {
    const double expected = std::tanh(static_cast<double>(u(i)));
    EXPECT_NEAR(static_cast<double>(t(i)), expected, 4 * eps * std::abs(expected)) << u(i);
  }
}

TYPED_TEST(Contrasts, LogCoshOfLargeNumbersIsTheirSizeLessLogTwo) {
  using S = TypeParam;
  for (const S u : {S(30), S(-1e4), S(1e30), S(-3e37)}) {
    S slope = 0;
    const double size = std::abs(static_cast<double>(u)), expected = size - std::numbers::ln2;
    EXPECT_NEAR(logcosh_loop(&u, 1, S(1), &slope).value, expected, 1e-15 * (size + 100)) << u;
    EXPECT_EQ(slope, std::copysign(S(1), u));
  }
}

TYPED_TEST(Contrasts, SumsAreThoseOfTheLibraryForAnyCount) {
  using S = TypeParam;
  const double eps = static_cast<double>(std::numeric_limits<S>::epsilon());
  for (const Index count : {1, 15, 16, 17, 255, 256, 257, 1000}) {
    const Vector<S> u = S(3) * Vector<S>::Random(count);
    ContrastSums logcosh, exponential;
    Vector<double> expected_slope(count);
    for (Index i = 0; i < count; ++i) {
      const double x = static_cast<double>(u(i)), t = std::tanh(x), e = std::exp(-x * x / 2);
      logcosh.value += std::abs(x) + std::log1p(std::exp(-2 * std::abs(x))) - std::numbers::ln2;
      logcosh.curvature += 1 - t * t;
      exponential.value -= e;
      exponential.curvature += (1 - x * x) * e;
      expected_slope(i) = 2 * x * e;
    }
    Vector<S> slope(count);
    const double rounding = 8 * eps * static_cast<double>(count + 16);
    const auto found = logcosh_loop(u.data(), count, S(1), slope.data());
    EXPECT_NEAR(found.value, logcosh.value, rounding) << count;
    EXPECT_NEAR(found.curvature, logcosh.curvature, rounding) << count;
    const auto other = exponential_loop(u.data(), count, S(2), slope.data());
    EXPECT_NEAR(other.value, exponential.value, rounding) << count;
    EXPECT_NEAR(other.curvature, exponential.curvature, rounding) << count;
    EXPECT_LT((slope.template cast<double>() - expected_slope).cwiseAbs().maxCoeff(), 16 * eps) << count;
  }
}

TEST(ContrastLaws, SlopesAreDerivativesAndCurvaturesTheirs) {
  const Vector<double> u = Vector<double>::LinSpaced(601, -6, 6);
  for (const Contrast contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube}) {
    Vector<double> slope(1), above(1), below(1);
    for (Index i = 0; i < u.size(); ++i) {
      constexpr double h = 1e-5;
      const auto at = [&](double x, Vector<double>& out) {
        return apply_contrast<double>(contrast, Vector<double>::Constant(1, x), 1.0, out);
      };
      const auto here = at(u(i), slope), up = at(u(i) + h, above), down = at(u(i) - h, below);
      EXPECT_NEAR(slope(0), (up.value - down.value) / (2 * h), 1e-6 * (1 + std::abs(slope(0))));
      EXPECT_NEAR(here.curvature, (above(0) - below(0)) / (2 * h), 1e-6 * (1 + here.curvature));
    }
  }
}

TEST(ContrastLaws, SumsOverManyAndFarNumbersAreThoseOfEach) {
  Vector<float> u = 3 * Vector<float>::Random(1000);
  u(17) = 300;
  u(400) = -1e30f;
  Vector<float> slope(1000);
  const auto sums = apply_contrast<float>(Contrast::logcosh, u, 2.0f, slope);
  double value = 0, curvature = 0;
  for (Index i = 0; i < 1000; ++i) {
    const double x = static_cast<double>(u(i)), t = std::tanh(x);
    value += std::abs(x) + std::log1p(std::exp(-2 * std::abs(x))) - std::log(2.0);
    curvature += 1 - t * t;
    EXPECT_NEAR(slope(i), 2 * t, 1e-6);
  }
  EXPECT_NEAR(sums.value, value, 1e-6 * value);
  EXPECT_NEAR(sums.curvature, curvature, 1e-3);
}

TEST(ContrastLaws, TheLinkIsTheGradientOfItsValue) {
  const auto weights = std::make_shared<Vector<double>>(Vector<double>::LinSpaced(3, -1, 2));
  const RowMatrix<double> rows = RowMatrix<double>::Random(50, 4);
  for (const Contrast contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube}) {
    LinearSamples<double> samples({rows}, {3}, {0.0}, contrast_objective<double>(contrast, weights));
    samples.draw(50);
    Point<double> x{Matrix<double>::Random(4, 3)}, gradient{Matrix<double>(4, 3)};
    samples.evaluate(0, 50, x, &gradient, nullptr);
    const Point<double> direction{Matrix<double>::Random(4, 3)};
    constexpr double h = 1e-5;
    const Point<double> up{x[0] + h * direction[0]}, down{x[0] - h * direction[0]};
    const double slope =
        (samples.evaluate(0, 50, up, nullptr, nullptr) - samples.evaluate(0, 50, down, nullptr, nullptr)) /
        (2 * h);
    EXPECT_NEAR(slope, inner(gradient, direction), 1e-7 * (1 + std::abs(slope)));
  }
}

}  // namespace landfall::test::contrast_test
