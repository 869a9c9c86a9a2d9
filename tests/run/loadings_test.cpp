#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/rows/shuffle.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/run/loadings.hpp>

#include <gtest/gtest.h>

namespace landfall {
namespace {

/// P minimises ||A - S P'||, so the residual is orthogonal to the scores of the training rows.
TEST(Loadings, AreTheRegressionOnTheScoresOfTheTrainingRows) {
  const RowMatrix<double> x = gaussian<double>(400, 6, {1, 0}),
                          y = x.leftCols(4) + gaussian<double>(400, 4, {2, 0});
  const FitOptions options{.components = 2, .held_out = 0.3, .seed = 5};
  const auto fitted = fit_cca<double>(std::make_unique<MemorySource<double>>(x),
                                      std::make_unique<MemorySource<double>>(y), options);
  MemorySource<double> source(x);
  const FittedView<double>& view = fitted.views[0];
  const Matrix<double> loadings = loadings_of<double>(source, view, options);
  const Matrix<double> centred = x.rowwise() - view.mean.transpose();
  Matrix<double> scores = centred * view.weights, residual = centred - scores * loadings.transpose();
  for (Index i = 0; i < 400; ++i)
    if (part_of(i, {.seed = 5, .held_out = 0.3}) == Part::held_out) scores.row(i).setZero();
  EXPECT_LT((scores.transpose() * residual).norm(), 1e-9 * residual.norm());
}

TEST(Loadings, OfADroppedColumnAreZero) {
  RowMatrix<double> x = gaussian<double>(100, 3, {1, 0});
  x.col(1).setConstant(4);
  const RowMatrix<double> y = x.rowwise().sum() + gaussian<double>(100, 1, {2, 0});
  const auto fitted = fit_cca<double>(std::make_unique<MemorySource<double>>(x),
                                      std::make_unique<MemorySource<double>>(y), {.components = 1});
  MemorySource<double> source(x);
  const Matrix<double> loadings = loadings_of<double>(source, fitted.views[0], {.components = 1});
  EXPECT_EQ(loadings(1, 0), 0);
  EXPECT_NE(loadings(0, 0), 0);
}

}  // namespace
}  // namespace landfall
