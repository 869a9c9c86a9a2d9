#include <landfall/linalg/random.hpp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/models/lda/posterior.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace landfall::test::posterior_test {

TEST(Posterior, IsBayesRuleForGaussianClasses) {
  const Matrix<double> scores = gaussian<double>(20, 2, {1, 0}), centres = gaussian<double>(2, 3, {2, 0});
  const Vector<double> priors{{0.5, 0.3, 0.2}};
  const Matrix<double> log_p = log_posteriors(scores, centres, priors);
  const auto nearest = nearest_centres(scores, centres, priors);
  for (Index i = 0; i < 20; ++i) {
    Vector<double> joint(3);
    for (Index c = 0; c < 3; ++c)
      joint(c) = priors(c) * std::exp(-(scores.row(i).transpose() - centres.col(c)).squaredNorm() / 2);
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(std::exp(log_p(i, c)), joint(c) / joint.sum(), 1e-12);
    Index best = 0;
    log_p.row(i).maxCoeff(&best);
    EXPECT_EQ(best, nearest[static_cast<std::size_t>(i)]);
  }
}

TEST(Posterior, OfScoresFarAwayIsFinite) {
  const Matrix<double> scores = Matrix<double>::Constant(1, 1, 1e6), centres = Matrix<double>{{-1.0, 1.0}};
  const Matrix<double> log_p = log_posteriors(scores, centres, Vector<double>{{0.5, 0.5}});
  EXPECT_NEAR(log_p(0, 1), 0, 1e-9);
  EXPECT_NEAR(log_p(0, 0), -2e6, 1);
}

TEST(Posterior, OfAClassWithoutRowsIsZero) {
  const Matrix<double> log_p =
      log_posteriors(Matrix<double>::Zero(1, 1), Matrix<double>::Zero(1, 2), Vector<double>{{1.0, 0.0}});
  EXPECT_EQ(std::exp(log_p(0, 1)), 0);
  EXPECT_EQ(std::exp(log_p(0, 0)), 1);
}

}  // namespace landfall::test::posterior_test
