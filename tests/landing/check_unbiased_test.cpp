#include <landfall/errors.hpp>
#include <landfall/landing/check_unbiased.hpp>
#include <landfall/landing/samples.hpp>

#include <gtest/gtest.h>

namespace landfall {
namespace {

std::shared_ptr<Samples<double>> pairs() {
  const RowMatrix<double> x = gaussian<double>(300, 5, {1, 0}), y = gaussian<double>(300, 4, {2, 0});
  return std::make_shared<LinearSamples<double>>(std::vector{x, y}, std::vector<Index>{2, 2},
                                                 std::vector<double>{0.1, 0.1},
                                                 correlation_objective<double>());
}

const Point<double> kPoint{gaussian<double>(5, 2, {3, 0}), gaussian<double>(4, 2, {4, 0})};

/// ||bias|| over its standard error is 1 on average; draws without replacement make it less.
TEST(CheckUnbiased, TellsTheEstimatorsApart) {
  for (const Estimator estimator : {Estimator::split, Estimator::ustat})
    EXPECT_LT(check_unbiased<double>(pairs(), kPoint, {.estimator = estimator, .batch = 12}, 2000), 1.6);
  EXPECT_GT(check_unbiased<double>(pairs(), kPoint, {.estimator = Estimator::shared, .batch = 6}, 60000), 4);
}

TEST(CheckUnbiased, RefusesEstimatorsThatRemember) {
  EXPECT_THROW(check_unbiased<double>(pairs(), kPoint, {.estimator = Estimator::recursive}), UsageError);
  EXPECT_THROW(check_unbiased<double>(pairs(), kPoint, {.batch = 12}, 1), UsageError);
}

}  // namespace
}  // namespace landfall
