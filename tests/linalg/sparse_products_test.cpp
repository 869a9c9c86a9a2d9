// Products of sparse rows against those of the same rows with their zeros, with each instruction set that the processor has.
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/sparse_products.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

/// Rows with 0 to 6 entries, in compressed form and with their zeros.
template <class S>
struct Rows {
  Rows(Index rows, Index cols) : dense(Matrix<S>::Zero(rows, cols)), starts{0} {
    const Matrix<S> numbers = gaussian<S>(rows, 6, {5, 0});
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < std::min(i % 7, cols); ++k) {
        const Index j = k * cols / 7 + i % std::max<Index>(cols / 7, 1);
        columns.push_back(j);
        values.push_back(numbers(i, k));
        dense(i, j) += numbers(i, k);
      }
      starts.push_back(static_cast<Index>(columns.size()));
    }
  }

  SparseRows<S> sparse() const {
    return {starts.data(), columns.data(), values.data(), dense.rows(), dense.cols()};
  }

  Matrix<S> dense;
  std::vector<Index> starts, columns;
  std::vector<S> values;
};

template <class S>
class SparseProducts : public ::testing::Test {};
TYPED_TEST_SUITE(SparseProducts, Scalars);

TYPED_TEST(SparseProducts, AreThoseOfTheRowsWithTheirZeros) {
  using S = TypeParam;
  const S eps = 20 * std::numeric_limits<S>::epsilon();
  for (const auto set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > instruction_set()) continue;
    for (const Index cols : {1, 40, 300})
      for (const Index m : {1, 8, 16, 17, 40}) {
        SCOPED_TRACE(fmt::format("{}: {} columns times {}", to_string(set), cols, m));
        const Rows<S> a(50, cols);
        // Parts of larger matrices: nothing beside them is written.
        Matrix<S> all = Matrix<S>::Constant(52, m + 1, S(7)), sums = gaussian<S>(cols + 2, m + 1, {2, 0});
        const Matrix<S> x = gaussian<S>(cols, m, {1, 0}), w = gaussian<S>(50, m, {3, 0}), before = sums;
        sparse_product<S>(a.sparse(), x, all.block(1, 1, 50, m), set);
        EXPECT_LE((all.block(1, 1, 50, m) - a.dense * x).norm(), eps * x.norm());
        EXPECT_TRUE((all.row(0).array() == 7).all() && (all.row(51).array() == 7).all());
        EXPECT_TRUE((all.col(0).array() == 7).all());
        add_sparse_product_at<S>(a.sparse(), w, sums.block(1, 1, cols, m), S(-1.5), set);
        const Matrix<S> added = S(-1.5) * a.dense.transpose() * w;
        EXPECT_LE((sums.block(1, 1, cols, m) - before.block(1, 1, cols, m) - added).norm(),
                  eps * (before.norm() + added.norm()));
        EXPECT_EQ(sums.row(0), before.row(0));
        EXPECT_EQ(sums.row(cols + 1), before.row(cols + 1));
        EXPECT_EQ(sums.col(0), before.col(0));
      }
  }
}

TYPED_TEST(SparseProducts, HaveTheSameBitsWithAnyNumberOfThreads) {
  using S = TypeParam;
  const Rows<S> a(200, 300);
  const Matrix<S> x = gaussian<S>(300, 45, {1, 0}), w = gaussian<S>(200, 45, {3, 0});
  std::vector<Matrix<S>> scores, sums;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const ThreadPool::Use use(pool);
    scores.emplace_back(200, 45);
    sums.push_back(Matrix<S>::Zero(300, 45));
    sparse_product<S>(a.sparse(), x, scores.back(), instruction_set());
    add_sparse_product_at<S>(a.sparse(), w, sums.back(), 1, instruction_set());
  }
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_EQ(sums[0], sums[1]);
}

}  // namespace
}  // namespace landfall::test
