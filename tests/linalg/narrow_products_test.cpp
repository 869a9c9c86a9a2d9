// Products of a few columns against plain sums in double precision, with each instruction set that the processor has.
#include <landfall/linalg/add_square.hpp>
#include <landfall/linalg/narrow_products.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

std::vector<InstructionSet> sets() {
  std::vector<InstructionSet> all;
  for (const auto set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (set <= instruction_set()) all.push_back(set);
  return all;
}

template <class S>
class NarrowProducts : public ::testing::Test {};
TYPED_TEST_SUITE(NarrowProducts, Scalars);

/// |error| <= inner eps |a||b|, entry by entry.
template <class S>
void expect_product(const Matrix<S>& a, const Matrix<S>& b, const Matrix<S>& before, const Matrix<S>& c,
                    S alpha, S beta) {
  const Matrix<double> ad = a.template cast<double>(), bd = b.template cast<double>();
  Matrix<double> expected = static_cast<double>(alpha) * ad * bd;
  Matrix<double> size = std::abs(static_cast<double>(alpha)) * ad.cwiseAbs() * bd.cwiseAbs();
  if (beta != 0) {
    expected += static_cast<double>(beta) * before.template cast<double>();
    size += std::abs(static_cast<double>(beta)) * before.template cast<double>().cwiseAbs();
  }
  const double eps =
      static_cast<double>(std::numeric_limits<S>::epsilon()) * static_cast<double>(a.cols() + 2);
  EXPECT_TRUE(((c.template cast<double>() - expected).array().abs() <= eps * size.array() + 1e-300).all());
}

TYPED_TEST(NarrowProducts, AreThoseOfPlainSums) {
  using S = TypeParam;
  for (const auto set : sets())
    for (const Index n : {1, 15, 17, 64, 100, 300})
      for (const Index r : {1, 5, 33})
        for (const Index m : {1, 6, 9, 23}) {
          SCOPED_TRACE(fmt::format("{}: n {} r {} m {}", to_string(set), n, r, m));
          // A matrix between others: nothing outside of it is read or written.
          Matrix<S> all = gaussian<S>(n + 2, r + 1, {1, 0});
          all.row(0).setConstant(std::numeric_limits<S>::quiet_NaN());
          all.row(n + 1).setConstant(std::numeric_limits<S>::quiet_NaN());
          const auto a = all.block(1, 1, n, r);
          const Matrix<S> x = gaussian<S>(n, m, {2, 0});
          for (const S beta : {S(0), S(1), S(-0.5)}) {
            Matrix<S> scores = beta == 0 ? Matrix<S>::Constant(r, m, std::numeric_limits<S>::quiet_NaN())
                                         : gaussian<S>(r, m, {4, 0});
            const Matrix<S> before = scores;
            narrow_product_at<S>(a, x, scores, S(1.5), beta, set);
            expect_product<S>(a.transpose(), x, before, scores, S(1.5), beta);
          }
        }
}

/// Columns beside each other, and other rows, change no bits.
TYPED_TEST(NarrowProducts, ANumberDoesNotDependOnItsNeighbours) {
  using S = TypeParam;
  const Matrix<S> a = gaussian<S>(300, 70, {1, 0}), x = gaussian<S>(300, 20, {2, 0});
  for (const auto set : sets()) {
    Matrix<S> scores(70, 20), one(70, 1), row(1, 20);
    narrow_product_at<S>(a, x, scores, 1, 0, set);
    for (Index j = 0; j < 20; ++j) {
      narrow_product_at<S>(a, x.col(j), one, 1, 0, set);
      EXPECT_EQ(one, scores.col(j)) << to_string(set);
    }
    narrow_product_at<S>(a.col(69), x, row, 1, 0, set);
    EXPECT_EQ(row, scores.row(69)) << to_string(set);
  }
}

TYPED_TEST(NarrowProducts, TheSameBitsWithAnyNumberOfThreads) {
  using S = TypeParam;
  const Matrix<S> a = gaussian<S>(520, 280, {1, 0});
  const SerialBlas serial;
  for (const Index m : {9, 40}) {
    const Matrix<S> x = gaussian<S>(520, m, {2, 0}), w = gaussian<S>(280, m, {3, 0});
    std::vector<Matrix<S>> first;
    for (const int threads : {1, 2, 3, 5}) {
      ThreadPool pool(threads);
      const ThreadPool::Use use(pool);
      std::vector<Matrix<S>> all{Matrix<S>(280, m), Matrix<S>(520, m), Matrix<S>(520, 280),
                                 Matrix<S>::Zero(520, 520)};
      multiply_at<S>(a, x, all[0]);
      multiply<S>(a, w, all[1]);
      multiply_bt<S>(x, w, all[2]);
      add_square<S>(a, all[3]);
      if (first.empty()) first = all;
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], first[i]) << i << ", " << threads << " threads";
    }
    for (const Index i : {0, 100, 255, 256, 300, 519})
      for (const Index j : {0, 7, 255, 256, 279}) {
        EXPECT_NEAR(first[2](i, j), x.row(i).dot(w.row(j)), rounding<S>(20));
        if (j <= i) {
          EXPECT_NEAR(first[3](i, j), a.row(i).dot(a.row(j)), rounding<S>(280));
        }
      }
  }
}

}  // namespace
}  // namespace landfall::test
