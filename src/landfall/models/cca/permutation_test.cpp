#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/resampling.hpp>
#include <landfall/models/cca/whitened_view.ipp>
#include <landfall/models/fit/in_memory_rows.hpp>

#include <algorithm>

namespace landfall {
namespace {

/// Eigenvectors of m m', the largest value first: all left singular vectors of m, those of 0 too.
Matrix<double> left_vectors(const Matrix<double>& m) {
  Matrix<double> squared(m.rows(), m.rows());
  multiply_bt<double>(m, m, squared);
  SymmetricEigen<double> eigen;
  eigen.compute(squared);
  return eigen.vectors().rowwise().reverse();
}

/// log lambda of the pairs from k on: log det(I - M M') of the block of M that the first k rows and columns leave.
Vector<double> log_lambdas(const Matrix<double>& m, Index pairs) {
  Vector<double> logs(pairs);
  for (Index k = 0; k < pairs; ++k) {
    const Matrix<double> rest = m.bottomRightCorner(m.rows() - k, m.cols() - k);
    const Index n = std::min(rest.rows(), rest.cols());
    Matrix<double> squared = Matrix<double>::Identity(n, n);
    if (rest.rows() <= rest.cols())
      multiply_bt<double>(rest, rest, squared, -1, 1);
    else
      multiply_at<double>(rest, rest, squared, -1, 1);
    logs(k) = log_determinant(std::move(squared));
  }
  return logs;
}

/// Seeds of the permutations: functions of the user's seed and of the number of the permutation.
std::uint64_t permutation_seed(std::uint64_t seed, int number) {
  const auto words = random_words({seed, 0x7e57}, static_cast<std::uint64_t>(number));
  return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
}

}  // namespace

PermutationTest permutation_test(const KeptRows& rows, const ResamplingOptions& options) {
  const WhitenedView left(rows.left, options.ridge), right(rows.right, options.ridge);
  const Index m = rows.rows(), pairs = std::min({options.components, left.rank(), right.rank()});
  Matrix<double> cross(left.rank(), right.rank());
  multiply_at<double>(left.scores, right.scores, cross);
  // Canonical coordinates: the first k of both views are the first k pairs. Rows become columns, in single precision: the
  // products are most of the work, and the observed statistic has the same rounding as the others.
  const Matrix<float> a = (left_vectors(cross).transpose() * left.scores.transpose()).cast<float>(),
                      b = (left_vectors(cross.transpose()).transpose() * right.scores.transpose())
                              .cast<float>();
  const auto lambdas = [&](const Matrix<float>& other, Matrix<float>& product) {
    multiply_bt<float>(a, other, product);
    return log_lambdas(product.cast<double>(), pairs);
  };
  Matrix<float> product(a.rows(), b.rows());
  const Vector<double> observed = lambdas(b, product);

  std::vector<Vector<double>> found(static_cast<std::size_t>(options.resamples));
  share_among_threads(options.resamples, options.cancel, [&] {
    return
        [&, other = Matrix<float>(b.rows(), m), product = Matrix<float>(a.rows(), b.rows())](int i) mutable {
          const auto order = shuffled_rows(m, permutation_seed(options.seed, i));
          for (Index row = 0; row < m; ++row) other.col(row) = b.col(order[static_cast<std::size_t>(row)]);
          found[static_cast<std::size_t>(i)] = lambdas(other, product);
        };
  });
  PermutationTest test{options.resamples, m, Vector<double>::Ones(options.components)};
  double largest = 0;
  for (Index k = 0; k < pairs; ++k) {
    const auto as_small = std::ranges::count_if(found, [&](const Vector<double>& logs) {
      return logs(k) <= observed(k) + 1e-6 * std::abs(observed(k));
    });
    largest =
        std::max(largest, static_cast<double>(1 + as_small) / static_cast<double>(1 + options.resamples));
    test.p(k) = largest;
  }
  return test;
}

}  // namespace landfall
