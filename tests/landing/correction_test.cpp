// The move beyond X, with what the first rows know, and K that is told of heavy rows.
#include <landfall/landing/subspace/correction.hpp>
#include <landfall/landing/subspace/solve_subspace.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <data/centred_batch.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

/// Two views with ten pairs of correlations that fall slowly.
template <class S>
class CorrectionTest : public Typed<S> {
 protected:
  static constexpr Index kRows = 3000, kColumns = 24, kWanted = 3, kGuarded = 6;

  CorrectionTest() {
    const Matrix<S> shared = gaussian<S>(kRows, 10, {1});
    for (const unsigned seed : {10u, 20u}) {
      Matrix<S> view = gaussian<S>(kRows, kColumns, {seed});
      view.leftCols(10) += shared * Vector<S>::LinSpaced(10, 3, 2).asDiagonal();
      view = (view * random_orthonormal(kColumns, kColumns, {seed, 1}).template cast<S>()).eval();
      views_.push_back(view.rowwise() - view.colwise().mean());
    }
  }

  std::shared_ptr<InMemorySamples<S>> samples(Index rows) const {
    const std::vector<Matrix<S>> part{views_[0].topRows(rows), views_[1].topRows(rows)};
    return std::make_shared<InMemorySamples<S>>(batches_of<S>(part, 50),
                                                std::vector<Index>{kGuarded, kGuarded}, std::vector<S>{0, 0},
                                                correlation_objective<S>());
  }

  Matrix<double> covariance(int left, int right) const {
    return views_[left].template cast<double>().transpose() * views_[right].template cast<double>() /
           double(kRows);
  }

  /// The sum of the correlations within the spans of the wanted columns, over all rows.
  double value(const Point<S>& x) const {
    std::vector<Matrix<double>> z;
    for (int k : {0, 1}) {
      const Matrix<double> wanted = x[k].leftCols(kWanted).template cast<double>();
      z.push_back(wanted * orthonormalizing_factor<double>(wanted.transpose() * covariance(k, k) * wanted));
    }
    return svd<double>(Matrix<double>(z[0].transpose() * covariance(0, 1) * z[1])).values.sum();
  }

  double exact() const {
    std::vector<Matrix<double>> roots;
    SymmetricEigen<double> eigen;
    for (int k : {0, 1}) {
      eigen.compute(covariance(k, k));
      roots.push_back(eigen.inverse_root());
    }
    return svd<double>(Matrix<double>(roots[0] * covariance(0, 1) * roots[1])).values.head(kWanted).sum();
  }

  std::vector<Matrix<S>> views_;
};
TYPED_TEST_SUITE(CorrectionTest, Scalars);

/// The first rows know the spectrum beyond the guards, and R is that of all rows: each step leaves less of the error.
TYPED_TEST(CorrectionTest, FurtherStepsOnTheFirstRowsHelp) {
  using S = TypeParam;
  const auto first = this->samples(2000);
  const auto inverse = subspace_inverses<S>(
      *first, {.rank = {this->kColumns, this->kColumns}, .ridge = {0, 0}, .rows = double(this->kRows)}, {});
  // A point near the optimum, with its products over all rows.
  RitzPasses<S> passes(correlation_objective<S>(), double(this->kRows), serial_communicator());
  const auto pilot = solve_first_rows<S>(*first, inverse, {.ridge = {0, 0}, .wanted = this->kWanted});
  passes.begin(pilot.x, pilot.x);
  for (const auto& batch : batches_of<S>(this->views_, 50)) passes.add({&batch[0], &batch[1]});
  passes.end_pass({0, 0});
  const RitzBasis<S>& at = passes.x();
  Point<S> r;
  for (int k : {0, 1}) r.push_back(at.ascent[k] - at.sz[k] * passes.values().template cast<S>().asDiagonal());
  const double before = this->exact() - this->value(at.z);
  double left = before;
  for (const int steps : {1, 2, 4}) {
    const auto move =
        corrected_move<S>(*first, inverse, {at.z, at.sz, r, passes.values()},
                          {.length = passes.values().cwiseInverse(), .steps = steps, .ridge = {0, 0}});
    Point<S> moved = at.z;
    for (int k : {0, 1}) {
      moved[k] += move.d[k];
      EXPECT_LE((at.sz[k].transpose() * move.d[k]).norm(), 1e-4);  // nothing within the span of X
      const Matrix<double> z = moved[k].template cast<double>();
      EXPECT_LE((z.transpose() * this->covariance(k, k) * z - move.metric[k]).norm(), 0.1 * before) << steps;
    }
    const double now = this->exact() - this->value(moved);
    EXPECT_LT(now, 0.95 * left) << steps;
    left = now;
  }
}

/// K of some rows and of further ones with weights is the inverse of the covariance of all, up to its scale.
TYPED_TEST(CorrectionTest, AnInverseLearnsOfFurtherRows) {
  using S = TypeParam;
  const Index n = 6, rows = 80;
  const Matrix<S> a = gaussian<S>(rows, n, {5});
  const Matrix<S> heavy = 50 * gaussian<S>(9, n, {6});
  const auto batches = batches_of<S>({a}, 20), others = batches_of<S>({heavy}, 9);
  const std::span<const std::vector<CentredBatch<S>>> all(batches);
  const WeightedRows<S> more{{&others[0][0]}, Vector<S>::LinSpaced(9, S(0.001), S(0.01))};
  const ValidatedInverse<S> k(all.first(3), all.subspan(3), 0, {.rank = n}, 0, {}, serial_communicator(), {},
                              &more);
  EXPECT_TRUE(k.informed());
  const Matrix<S> s = a.transpose() * a / S(rows) + heavy.transpose() * more.weights.asDiagonal() * heavy;
  Matrix<S> ks(n, n);
  k.apply(s, ks);
  EXPECT_LE((ks / ks(0, 0) - Matrix<S>::Identity(n, n)).norm(), 1e-2);
  const ValidatedInverse<S> without(all.first(3), all.subspan(3), 0, {.rank = n}, 0, {},
                                    serial_communicator());
  EXPECT_FALSE(without.informed());
}

/// A few rows make up the covariances: one pass finds them, and the start is computed again with all of them.
TYPED_TEST(CorrectionTest, OnePassIsEnoughWhereFewRowsMakeUpTheCovariances) {
  using S = TypeParam;
  for (auto& view : this->views_)
    for (Index i = 5; i < this->kRows; i += 20) view.row(i) *= S(100);
  const auto solve = [&](double passes) {
    return solve_subspace<S>(this->samples(600), this->samples(this->kRows),
                             {.wanted = this->kWanted,
                              .ridge = {0, 0},
                              .rows = double(this->kRows),
                              .rank = {this->kColumns, this->kColumns}},
                             {.passes = passes});
  };
  EXPECT_LE(this->exact() - this->value(solve(1).run.x), 1e-2 * this->exact());
  EXPECT_LE(this->exact() - this->value(solve(2).run.x), 1e-3 * this->exact());
}

}  // namespace
}  // namespace landfall::test
