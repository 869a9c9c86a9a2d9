// Sums of squares of sparse rows against those of the same rows with their zeros.
#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/landing/subspace/squares.hpp>
#include <landfall/linalg/random.hpp>

#include <support.hpp>

namespace landfall::test {
namespace {

/// 60 rows of 40 columns, of which each row has at most three; rows have weights where `roots` says so.
template <class S>
CentredBatch<S> sparse_rows(S mean, bool roots) {
  CentredBatch<S> rows;
  rows.batch.start_sparse(40);
  const Matrix<S> numbers = gaussian<S>(60, 4, {1, 0});
  for (Index i = 0; i < 60; ++i) {
    rows.batch.add_sparse_row(i);
    for (Index k = 0; k < i % 4; ++k) rows.batch.add_entry(13 * k + i % 13, numbers(i, k));
  }
  if (roots) {
    std::vector<S> root;
    for (Index i = 0; i < 60; ++i) root.push_back(S(0.5) + S(0.02) * static_cast<S>(i));
    rows.batch.weigh(root);
  }
  rows.mean = Vector<S>::Constant(40, mean);
  return rows;
}

template <class S>
class SquaresTest : public Typed<S> {};
TYPED_TEST_SUITE(SquaresTest, Scalars);

// A mean of 0.1 is taken from the sums, one of 50 from each entry.
TYPED_TEST(SquaresTest, AreThoseOfTheRowsWithTheirZeros) {
  using S = TypeParam;
  const Vector<S> scale = Vector<S>::LinSpaced(40, S(0.5), 2);
  for (const bool roots : {false, true})
    for (const S mean : {S(0.1), S(50)}) {
      const CentredBatch<S> rows = sparse_rows<S>(mean, roots);
      Matrix<S> dense = Matrix<S>::Zero(40, 60);
      for (Index i = 0; i < 60; ++i) {
        const S root = roots ? rows.batch.roots()[static_cast<std::size_t>(i)] : S(1);
        dense.col(i).setConstant(-root * mean);
        for (Index k = rows.batch.starts()[static_cast<std::size_t>(i)];
             k < rows.batch.starts()[static_cast<std::size_t>(i) + 1]; ++k)
          dense(rows.batch.columns()[static_cast<std::size_t>(k)], i) +=
              rows.batch.values()[static_cast<std::size_t>(k)];
      }
      EXPECT_LE((DenseRows<S>()(rows) - dense).norm(), S(1e-6) * dense.norm());
      const Matrix<S> scaled = scale.asDiagonal() * dense, square = scaled * scaled.transpose();
      Matrix<S> sum = Matrix<S>::Ones(40, 40);
      add_squares(rows, scale, sum);
      const Matrix<S> found = (sum.array() - 1).matrix().template triangularView<Eigen::Lower>();
      const Matrix<S> expected = square.template triangularView<Eigen::Lower>();
      EXPECT_LE((found - expected).norm(), S(1e-5) * expected.norm()) << mean << ' ' << roots;
    }
}

}  // namespace
}  // namespace landfall::test
