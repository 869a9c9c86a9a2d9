#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/subspace/heavy_rows.hpp>
#include <landfall/landing/subspace/squares.hpp>
#include <landfall/landing/subspace/validated_inverse.hpp>
#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr Index kManyRows = 3;  // per column: the inverse of their covariance is good enough
// A row that makes up more of a direction is alone there. Without it nothing would be known of the direction, and its size
// would hide those of all others: it counts as one of usual size.
constexpr double kLeastLeft = 0.25;

template <class S>
Index count_rows(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view,
                 Communicator& communicator) {
  Index rows = 0;
  for (const auto& batch : batches) rows += batch[view].rows();
  reduce(communicator, rows);
  return rows;
}

/// The diagonal of A'A / N.
template <class S>
Vector<S> variances(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view,
                    Communicator& communicator) {
  Vector<double> squares = Vector<double>::Zero(batches.front()[view].cols());
  for (const auto& batch : batches) add_column_squares(batch[view], squares);
  reduce(communicator, squares);
  return (squares / static_cast<double>(count_rows<S>(batches, view, communicator))).template cast<S>();
}

/// What rows add to the variances of the columns.
template <class S>
Vector<S> variances_of(const WeightedRows<S>& rows, std::size_t view, Communicator& communicator, Index n) {
  Matrix<S> squares = Matrix<S>::Zero(n, 1);
  if (rows.weights.size() > 0) squares = DenseRows<S>()(*rows.views[view]).cwiseAbs2() * rows.weights;
  reduce(communicator, squares);
  return squares.col(0);
}

}  // namespace

template <class S>
ValidatedInverse<S>::ValidatedInverse(Batches seen, Batches unseen, std::size_t view,
                                      const InverseOptions& options, S ridge, const Vector<S>& variance,
                                      Communicator& communicator, const CancelFlag& cancel,
                                      const WeightedRows<S>* more)
    : SymmetricOperator<S>(seen.front()[view].cols()) {
  const Index n = this->size();
  Vector<S> known = variances<S>(seen, view, communicator);
  if (more) known = (known + variances_of<S>(*more, view, communicator, n)).cwiseMax(S(0));
  // Where the rows show less than half of the variance of a column, the rest of it is put on the diagonal.
  Vector<S> all = known;
  if (variance.size() > 0) all = (variance.array() > 2 * known.array()).select(variance, known);
  const S floor = std::max(all.maxCoeff() * std::numeric_limits<S>::epsilon(), std::numeric_limits<S>::min());
  scale_ = (all.array() + ridge).max(floor).rsqrt();
  added_ = ((all - known).array() + ridge).matrix().cwiseProduct(scale_.cwiseAbs2());
  total_ = static_cast<double>((all.array() + ridge).matrix().cwiseProduct(scale_.cwiseAbs2()).sum());
  if (options.rank >= n && seen.data() != unseen.data() &&
      factored(seen, unseen, view, options, communicator, cancel, more))
    return;
  if (options.rank >= n)
    complete_basis(seen, view, communicator, cancel);
  else
    leading_basis(seen, view, options, communicator, cancel);
  validate(seen, unseen, view, options, communicator, cancel);
}

/// D S D over the rows, times their number: the lower triangle.
template <class S>
void ValidatedInverse<S>::add_squares(Batches batches, std::size_t view, const CancelFlag& cancel,
                                      Matrix<S>& sum) const {
  for (const auto& batch : batches) {
    cancel.throw_if_requested();
    landfall::add_squares(batch[view], scale_, sum);
  }
}

template <class S>
bool ValidatedInverse<S>::factored(Batches seen, Batches unseen, std::size_t view,
                                   const InverseOptions& options, Communicator& communicator,
                                   const CancelFlag& cancel, const WeightedRows<S>* more) {
  const Index n = this->size();
  const Index rows = count_rows<S>(seen, view, communicator) + count_rows<S>(unseen, view, communicator);
  if (rows < kManyRows * n) return false;
  Matrix<S> covariance = Matrix<S>::Zero(n, n);
  add_squares(seen, view, cancel, covariance);
  add_squares(unseen, view, cancel, covariance);
  DenseRows<S> dense;
  if (more && more->weights.size() > 0) {
    const Matrix<S> a = scale_.asDiagonal() * dense(*more->views[view]);
    multiply_bt<S>(Matrix<S>(a * more->weights.asDiagonal()), a, covariance, static_cast<S>(rows), 1);
  }
  informed_ = more != nullptr;
  reduce(communicator, covariance);
  covariance /= static_cast<S>(rows);
  covariance.diagonal() += added_;
  const auto factor = Cholesky<S>::of(std::move(covariance), std::sqrt(std::numeric_limits<S>::epsilon()));
  if (!factor) return informed_ = false;
  // What a row has of h = a'Ka where K was made without it: h / (1 - h/m).
  std::vector<Vector<double>> sizes;
  for (const auto& batch : unseen) {
    cancel.throw_if_requested();
    if (batch[view].rows() == 0) continue;
    Matrix<S> scores = scale_.asDiagonal() * dense(batch[view]);
    factor->solve_lower(scores);
    const Vector<double> h = scores.colwise().squaredNorm().transpose().template cast<double>();
    const Vector<double> left = 1 - h.array() / static_cast<double>(rows);
    sizes.emplace_back((left.array() > kLeastLeft).select(h.cwiseQuotient(left), static_cast<double>(n)));
  }
  dense_ = factor->inverse();
  measure_noise(sizes, communicator);
  // The trace of K B is n, as if each direction had been measured.
  const double trace = size_ + (dense_.diagonal().array() * added_.array()).template cast<double>().sum();
  const auto share = static_cast<S>(static_cast<double>(n) / std::max(trace, 1e-300));
  size_ *= static_cast<double>(share);
  noise_ *= static_cast<double>(share);
  dense_ = (scale_ * share).asDiagonal() * dense_ * scale_.asDiagonal();
  probes_ = gaussian_probes(options.seed, view) * std::sqrt(share);
  factor->solve_upper(probes_);
  probes_ = scale_.asDiagonal() * probes_;
  return true;
}

template <class S>
void ValidatedInverse<S>::complete_basis(Batches seen, std::size_t view, Communicator& communicator,
                                         const CancelFlag& cancel) {
  const Index n = this->size();
  Matrix<S> covariance = Matrix<S>::Zero(n, n);
  add_squares(seen, view, cancel, covariance);
  reduce(communicator, covariance);
  covariance /= static_cast<S>(count_rows<S>(seen, view, communicator));
  covariance.diagonal() += added_;
  SymmetricEigen<S> eigen;
  eigen.compute(covariance);
  vectors_ = eigen.vectors().rowwise().reverse();
  values_ = eigen.values().reverse();
}

template <class S>
void ValidatedInverse<S>::leading_basis(Batches seen, std::size_t view, const InverseOptions& options,
                                        Communicator& communicator, const CancelFlag& cancel) {
  const Index n = this->size(), width = std::min(n, options.rank + 8);
  const S share = S(1) / static_cast<S>(count_rows<S>(seen, view, communicator));
  Scratch<S> scores;
  const auto product = [&](const Matrix<S>& x, Matrix<S>& y) {  // D B D x
    const Matrix<S> dx = scale_.asDiagonal() * x;
    y.setZero(n, x.cols());
    for (const auto& batch : seen) {
      cancel.throw_if_requested();
      if (batch[view].rows() == 0) continue;
      batch[view].times(dx, scores.resize(batch[view].rows(), x.cols()));
      batch[view].transpose_times(scores.view(), y, share, 1);
    }
    reduce(communicator, y);
    y.array().colwise() *= scale_.array();
    y += added_.asDiagonal() * x;
  };
  Matrix<S> q = gaussian<S>(n, width, {options.seed, 0x5ce7 + view}), y;
  for (int k = 0; k <= options.power_iterations; ++k) {
    q = orthonormal_basis<S>(std::move(q));
    product(q, y);
    std::swap(q, y);
  }
  q = orthonormal_basis<S>(std::move(q));
  product(q, y);
  Matrix<S> small(width, width);
  multiply_at<S>(q, y, small);
  symmetrize<S>(small);
  SymmetricEigen<S> eigen;
  eigen.compute(small);
  const Index rank = std::min(options.rank, width);
  vectors_.resize(n, rank);
  multiply<S>(q, eigen.vectors().rightCols(rank).rowwise().reverse(), vectors_);
  values_ = eigen.values().tail(rank).reverse();
}

/// The mean of (a'D q_i)^2 over the rows a.
template <class S>
Vector<double> ValidatedInverse<S>::variances_along(const Matrix<S>& dq, Batches batches, std::size_t view,
                                                    Communicator& communicator,
                                                    const CancelFlag& cancel) const {
  Vector<double> squares = Vector<double>::Zero(dq.cols());
  Scratch<S> work;
  for (const auto& batch : batches) {
    cancel.throw_if_requested();
    if (batch[view].rows() == 0) continue;
    auto& scores = work.resize(batch[view].rows(), dq.cols());
    batch[view].times(dq, scores);
    squares += scores.colwise().squaredNorm().transpose().template cast<double>();
  }
  reduce(communicator, squares);
  return squares / static_cast<double>(std::max<Index>(count_rows<S>(batches, view, communicator), 1));
}

/// The same over the rows that the basis was made of: its eigenvalues, without what was added. Small ones are rounding of the
/// large ones, and are measured.
template <class S>
Vector<double> ValidatedInverse<S>::seen_variances(const Matrix<S>& dq, const Vector<double>& added,
                                                   Batches seen, std::size_t view, Communicator& communicator,
                                                   const CancelFlag& cancel) const {
  Vector<double> variances = values_.template cast<double>() - added;
  const S small = std::sqrt(std::numeric_limits<S>::epsilon()) * values_(0);
  const Index count = (values_.array() < small).count();
  if (count > 0)
    variances.tail(count) = variances_along(Matrix<S>(dq.rightCols(count)), seen, view, communicator, cancel);
  return variances;
}

template <class S>
void ValidatedInverse<S>::validate(Batches seen, Batches unseen, std::size_t view,
                                   const InverseOptions& options, Communicator& communicator,
                                   const CancelFlag& cancel) {
  const Index n = this->size(), k = vectors_.cols();
  const Matrix<S> dq = scale_.asDiagonal() * vectors_;
  const Vector<double> added =
      vectors_.cwiseAbs2().transpose().template cast<double>() * added_.template cast<double>();
  std::vector<Matrix<S>> scores;  // squared, of the unseen rows
  Vector<double> found = Vector<double>::Zero(k);
  for (const auto& batch : unseen) {
    cancel.throw_if_requested();
    auto& squares = scores.emplace_back(batch[view].rows(), k);
    if (squares.rows() > 0) batch[view].times(dq, squares);
    squares = squares.cwiseAbs2();
    found += squares.colwise().sum().transpose().template cast<double>();
  }
  reduce(communicator, found);
  found /= static_cast<double>(std::max<Index>(count_rows<S>(unseen, view, communicator), 1));
  if (options.rows > 0 && seen.data() != unseen.data()) {
    const auto part = [&](Batches batches) {
      return static_cast<double>(count_rows<S>(batches, view, communicator)) / options.rows;
    };
    const Vector<double> own = seen_variances(dq, added, seen, view, communicator, cancel);
    found = found.cwiseMax(part(seen) * own + part(unseen) * found).eval();
  }
  // Scores of a direction in which nothing varies are rounding, and their squares are these; a ridge that small is only
  // there to keep X from growing.
  const double largest = (found + added).maxCoeff();
  const double rounding =
      16 * static_cast<double>(n) * std::pow(static_cast<double>(std::numeric_limits<S>::epsilon()), 2);
  const auto empty = found.array() <= rounding * largest &&
                     added.array() <= static_cast<double>(rank_tolerance<S>(n)) * largest;
  // Other rows may vary there: these would have shown more than the variance of one of them.
  const auto rows = static_cast<double>(count_rows<S>(seen, view, communicator));
  const double unknown = options.rows > 2 * rows ? largest / rows : 0;
  values_ = empty.select(unknown, found + added).template cast<S>();
  tail_ = n > k ? static_cast<S>(std::max((total_ - (found + added).sum()) / static_cast<double>(n - k),
                                          rounding * largest))
                : S(0);
  const S base = n > k ? 1 / tail_ : S(0);
  excess_ = (values_.array() > 0).select(values_.array().inverse(), S(0)) - base;
  make_probes(options.seed, view);
  measure_noise(sizes_of(unseen, view, scores), communicator);
  if (n > k) return;
  dense_.resize(n, n);
  multiply_bt<S>(dq * excess_.asDiagonal(), dq, dense_);
  vectors_.resize(0, 0);
}

template <class S>
Matrix<S> ValidatedInverse<S>::gaussian_probes(std::uint64_t seed, std::size_t view) const {
  constexpr Index kProbes = 16;
  return gaussian<S>(this->size(), kProbes, {seed, 0x9a7e + view}) / std::sqrt(S(kProbes));
}

/// The symmetric root of what is between the D in K.
template <class S>
void ValidatedInverse<S>::make_probes(std::uint64_t seed, std::size_t view) {
  const S base = tail_ > 0 ? 1 / std::sqrt(tail_) : S(0);
  const Vector<S> roots = (values_.array() > 0).select(values_.array().rsqrt(), S(0)) - base;
  const Matrix<S> omega = gaussian_probes(seed, view);
  Matrix<S> projected(vectors_.cols(), omega.cols());
  multiply_at<S>(vectors_, omega, projected);
  probes_ = base * omega;
  multiply<S>(vectors_, roots.asDiagonal() * projected, probes_, 1, 1);
  probes_ = scale_.asDiagonal() * probes_;
}

/// From the squared scores of the unseen rows.
template <class S>
std::vector<Vector<double>> ValidatedInverse<S>::sizes_of(Batches unseen, std::size_t view,
                                                          const std::vector<Matrix<S>>& scores) const {
  const S base = tail_ > 0 ? 1 / tail_ : S(0);
  const Vector<S> weights = base * scale_.cwiseAbs2();
  std::vector<Vector<double>> sizes;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (scores[i].rows() == 0) continue;
    Vector<double> h = (scores[i] * excess_).template cast<double>();
    if (base > 0) h += row_squares<S>(unseen[i][view], weights);
    sizes.push_back(std::move(h));
  }
  return sizes;
}

template <class S>
void ValidatedInverse<S>::measure_noise(const std::vector<Vector<double>>& sizes,
                                        Communicator& communicator) {
  double sum = 0;
  Index rows = 0;
  for (const auto& h : sizes) {
    sum += h.sum();
    rows += h.size();
  }
  reduce(communicator, sum, rows);
  size_ = rows > 0 ? sum / static_cast<double>(rows) : 0;
  if (!(size_ > 0)) return;
  for (const auto& h : sizes)
    for (const double one : h) noise_ += one * one / copies_of(one / size_);
  reduce(communicator, noise_);
  noise_ /= sum;
}

template <class S>
void ValidatedInverse<S>::add_row(In<S> a, double rows) {
  Matrix<S> ka(a.rows(), 1);
  this->apply(a, ka);
  heavy_.conservativeResize(a.rows(), heavy_.cols() + 1);
  heavy_.col(heavy_.cols() - 1) = ka / std::sqrt(static_cast<S>(rows) + a.col(0).dot(ka.col(0)));
}

template <class S>
void ValidatedInverse<S>::apply_impl(In<S> x, Out<S> y) const {
  const RankSlice all{0, x.rows()};
  if (complete()) return apply_rows(all, x, y);
  auto& dx = scaled_.resize(x.rows(), x.cols());
  dx = scale_.asDiagonal() * x;
  auto& w = projected_.resize(vectors_.cols(), x.cols());
  multiply_at<S>(vectors_, dx, w);
  w.array().colwise() *= excess_.array();
  y = (S(1) / tail_) * dx;
  multiply<S>(vectors_, w, y, 1, 1);
  y.array().colwise() *= scale_.array();
  take_heavy(all, x, y);
}

template <class S>
void ValidatedInverse<S>::apply_rows(const RankSlice& rows, In<S> x, Out<S> y) const {
  multiply_at<S>(dense_.middleCols(rows.first, rows.size()), x, y);  // symmetric; its columns are contiguous
  take_heavy(rows, x, y);
}

/// y <- y - h h'x, some rows of it.
template <class S>
void ValidatedInverse<S>::take_heavy(const RankSlice& rows, In<S> x, Out<S> y) const {
  if (heavy_.cols() == 0) return;
  auto& w = projected_.resize(heavy_.cols(), x.cols());
  multiply_at<S>(heavy_, x, w);
  multiply<S>(heavy_.middleRows(rows.first, rows.size()), w, y, -1, 1);
}

template class ValidatedInverse<float>;
template class ValidatedInverse<double>;

}  // namespace landfall
