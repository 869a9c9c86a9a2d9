#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/cca/resampling.hpp>
#include <landfall/models/cca/whitened_view.ipp>
#include <landfall/models/fit/in_memory_rows.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

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

/// log lambda of each pair and those after it, for the rows as they are paired and for other pairings.
///
/// Canonical coordinates: the first k of both views are the first k pairs. Rows are columns, in single precision: the
/// products are most of the work, and the observed statistic has the same rounding as the others.
class Pairings {
 public:
  Pairings(const KeptRows& rows, const ResamplingOptions& options) : roots_(rows.roots.cast<float>()) {
    const WhitenedView left(rows.left, options.ridge), right(rows.right, options.ridge);
    pairs_ = std::min({options.components, left.rank(), right.rank()});
    Matrix<double> cross(left.rank(), right.rank());
    multiply_at<double>(left.scores, right.scores, cross);
    const Matrix<double> turn = left_vectors(cross.transpose());
    a_ = (left_vectors(cross).transpose() * left.scores.transpose()).cast<float>();
    b_ = (turn.transpose() * right.scores.transpose()).cast<float>();
    if (!weighted()) return;
    b_ = b_ * roots_.cwiseInverse().asDiagonal();
    const Matrix<double> basis = right.basis * turn;
    ridge_ = options.ridge * basis.transpose() * basis;
  }

  Index rows() const { return a_.cols(); }
  Index pairs() const { return pairs_; }

  /// Memory of one thread.
  struct Work {
    Matrix<float> other, product, square;
  };

  /// Row i of the left view with row order[i] of the right one; it keeps its weight.
  Vector<double> lambdas(const std::vector<Index>& order, Work& work) const {
    work.other.resize(b_.rows(), rows());
    for (Index row = 0; row < rows(); ++row) {
      const auto from = b_.col(order[static_cast<std::size_t>(row)]);
      if (weighted())
        work.other.col(row) = roots_(row) * from;
      else
        work.other.col(row) = from;
    }
    work.product.resize(a_.rows(), b_.rows());
    multiply_bt<float>(a_, work.other, work.product);
    Matrix<double> m = work.product.cast<double>();
    if (weighted() && !whiten_again(work, m))  // it cannot be told from a perfect correlation
      return Vector<double>::Constant(pairs_, -std::numeric_limits<double>::infinity());
    return log_lambdas(m, pairs_);
  }

 private:
  bool weighted() const { return roots_.size() > 0; }

  /// The rows of the right view have other weights than before, and so another mean and covariance R R': M becomes M R^-T, R
  /// triangular, so that the first k coordinates stay the first k. False where R is singular.
  bool whiten_again(Work& work, Matrix<double>& m) const {
    work.square.resize(b_.rows(), b_.rows());
    multiply_bt<float>(work.other, work.other, work.square);
    const Vector<double> sum = (work.other * roots_).cast<double>();
    Matrix<double> metric =
        work.square.cast<double>() + ridge_ - sum * sum.transpose() / roots_.cast<double>().squaredNorm();
    const auto factor = Cholesky<double>::of(std::move(metric), 0);
    if (!factor) return false;
    Matrix<double> turned = m.transpose();
    factor->solve_lower(turned);
    m = turned.transpose();
    return true;
  }

  Vector<float> roots_;   // of the weights of rows; empty: all weigh the same
  Matrix<float> a_, b_;   // the left rows times their roots; the right ones
  Matrix<double> ridge_;  // in the coordinates of the right rows
  Index pairs_ = 0;
};

}  // namespace

PermutationTest permutation_test(const KeptRows& rows, const ResamplingOptions& options) {
  const Pairings pairings(rows, options);
  const Index m = pairings.rows(), pairs = pairings.pairs();
  std::vector<Index> same(static_cast<std::size_t>(m));
  std::iota(same.begin(), same.end(), Index{0});
  Pairings::Work work;
  const Vector<double> observed = pairings.lambdas(same, work);
  std::vector<Vector<double>> found(static_cast<std::size_t>(options.resamples));
  share_among_threads(options.resamples, options.cancel, [&] {
    return [&, own = Pairings::Work()](int i) mutable {
      found[static_cast<std::size_t>(i)] =
          pairings.lambdas(shuffled_rows(m, permutation_seed(options.seed, i)), own);
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
