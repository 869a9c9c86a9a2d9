#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/linalg/add_square.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/lda/fold_discriminants.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace landfall {
namespace {

/// Sums over rows, with their weights, of the deviations d of a row from the mean that its class has in all folds.
struct Deviations {
  Matrix<double> squares;  // of d d', the lower triangle
  Matrix<double> sums;     // of d, a column for each class
  Vector<double> counts;   // of the rows of each class
  double rows = 0;         // without their weights

  Deviations(Index n, Index classes)
      : squares(Matrix<double>::Zero(n, n)),
        sums(Matrix<double>::Zero(n, classes)),
        counts(Vector<double>::Zero(classes)) {}

  void add(const Deviations& other, double sign) {
    squares += sign * other.squares;
    sums += sign * other.sums;
    counts += sign * other.counts;
    rows += sign * other.rows;
  }
};

/// The rows of a batch by fold: their columns, as doubles and times the roots of their weights; these; and their classes.
template <class S>
class RowsByFold {
 public:
  RowsByFold(const Labels& labels, int folds, std::uint64_t seed)
      : labels_(labels), seed_(seed), places_(static_cast<std::size_t>(folds)) {}

  void read(const CentredBatch<S>& batch) {
    for (auto& places : places_) places.clear();
    numbers_ = batch.batch.numbers();
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      places_[static_cast<std::size_t>(fold_of(numbers_[i], static_cast<int>(places_.size()), seed_))]
          .push_back(static_cast<Index>(i));
    batch_ = &batch;
  }

  Matrix<double> columns(std::size_t fold) {
    return dense_(*batch_)(Eigen::all, places_[fold]).template cast<double>();
  }
  Vector<double> roots(std::size_t fold) const {
    const auto all = batch_->batch.roots();
    Vector<double> of = Vector<double>::Ones(static_cast<Index>(places_[fold].size()));
    for (Index i = 0; i < of.size() && !all.empty(); ++i)
      of(i) = static_cast<double>(all[static_cast<std::size_t>(places_[fold][static_cast<std::size_t>(i)])]);
    return of;
  }
  std::vector<Index> classes(std::size_t fold) const {
    std::vector<Index> of;
    for (const Index i : places_[fold]) of.push_back(labels_.of(numbers_[static_cast<std::size_t>(i)]));
    return of;
  }

 private:
  const Labels& labels_;
  std::uint64_t seed_;
  std::vector<std::vector<Index>> places_;
  std::span<const Index> numbers_;
  const CentredBatch<S>* batch_ = nullptr;
  DenseRows<S> dense_;
};

template <class S>
std::vector<Deviations> fold_deviations(DataStream<S>& stream, const Labels& labels, const ClassMeans& all,
                                        const FoldGrid& grid) {
  std::vector<Deviations> folds(static_cast<std::size_t>(grid.folds),
                                Deviations(all.means.rows(), all.means.cols()));
  RowsByFold<S> rows(labels, grid.folds, grid.seed);
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    rows.read(stream.view(0));
    for (std::size_t k = 0; k < folds.size(); ++k) {
      Matrix<double> d = rows.columns(k);  // becomes root d
      const auto classes = rows.classes(k);
      const Vector<double> roots = rows.roots(k);
      for (Index i = 0; i < d.cols(); ++i) {
        const Index c = classes[static_cast<std::size_t>(i)];
        d.col(i) -= roots(i) * all.means.col(c);
        folds[k].sums.col(c) += roots(i) * d.col(i);
        folds[k].counts(c) += roots(i) * roots(i);
      }
      folds[k].rows += static_cast<double>(d.cols());
      add_square<double>(d, folds[k].squares);
    }
  }
  return folds;
}

/// The classifiers of the rows outside a fold, one for each ridge.
class FoldDiscriminants {
 public:
  FoldDiscriminants(const ClassMeans& all, const Deviations& rest, const std::vector<double>& ridges, Index p)
      : p_(p), means_(all.means), priors_(rest.counts / rest.counts.sum()) {
    Matrix<double> within = rest.squares;
    for (Index c = 0; c < means_.cols(); ++c) {
      if (rest.counts(c) == 0) continue;
      means_.col(c) += rest.sums.col(c) / rest.counts(c);
      within -= rest.sums.col(c) * rest.sums.col(c).transpose() / rest.counts(c);
    }
    within /= rest.counts.sum();
    const Matrix<double> apart = means_.colwise() - means_ * priors_;
    // In units of the standard deviation of each column over these rows.
    const Vector<double> variance = within.diagonal() + apart.cwiseAbs2() * priors_;
    scale_ = variance.unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0.; });
    eigen_.compute(scale_.asDiagonal() * within * scale_.asDiagonal());
    between_ =
        eigen_.vectors().transpose() * (scale_.asDiagonal() * apart * priors_.cwiseSqrt().asDiagonal());
    const Index present = (rest.counts.array() > 0).count(), columns = (scale_.array() > 0).count();
    enough_rows_ = rest.rows - static_cast<double>(present) >= static_cast<double>(columns);
    const auto count = static_cast<Index>(ridges.size());
    weights_.resize(means_.rows(), p * count);
    for (Index r = 0; r < count; ++r)
      regular_.push_back(find(ridges[static_cast<std::size_t>(r)], weights_.middleCols(r * p, p)));
    centres_.resize(weights_.cols(), means_.cols());
    multiply_at<double>(weights_, means_, centres_);
  }

  /// Adds the rows that are classified right, with their weights, by number of directions (row) and ridge (column).
  void classify(const Matrix<double>& columns, const Vector<double>& roots, const std::vector<Index>& classes,
                Matrix<double>& right) const {
    Matrix<double> scores(weights_.cols(), columns.cols());
    multiply_at<double>(weights_, columns, scores);
    scores = (scores * roots.cwiseInverse().asDiagonal()).eval();
    const Vector<double> start =
        priors_.unaryExpr([](double prior) { return prior > 0 ? -2 * std::log(prior) : kNever; });
    for (Index r = 0; r < right.cols(); ++r)
      for (Index i = 0; i < columns.cols(); ++i) {
        Vector<double> distance = start;
        for (Index j = 0; j < p_; ++j) {
          const Index at = r * p_ + j;
          distance += (centres_.row(at).array() - scores(at, i)).square().matrix().transpose();
          Index nearest = 0;
          distance.minCoeff(&nearest);
          if (nearest == classes[static_cast<std::size_t>(i)]) right(j, r) += roots(i) * roots(i);
        }
      }
  }

  /// Whether S_w with this ridge has an inverse.
  bool is_regular(std::size_t ridge) const { return regular_[ridge]; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// The leading p directions u of S_b u = lambda (S_w + ridge D) u, D the variances, with u'(S_w + ridge D)u = 1; zeros where there are fewer.
  bool find(double ridge, Out<double> weights) const {
    weights.setZero();
    const Vector<double> values = eigen_.values().array() + ridge;
    const double least = rank_tolerance<double>(values.size());
    Index dropped =
        0;  // directions without variance: of columns that depend on each other, if S_b has none there either
    while (dropped < values.size() && values(dropped) <= least) ++dropped;
    const Index rank = values.size() - dropped;
    if (rank == 0 || (ridge == 0 && !enough_rows_) || between_.topRows(dropped).squaredNorm() > least)
      return false;
    const Vector<double> root = values.tail(rank).cwiseSqrt().cwiseInverse();
    const auto pairs = svd<double>(root.asDiagonal() * between_.bottomRows(rank));
    const Index found = std::min({p_, rank, between_.cols()});
    weights.leftCols(found) = scale_.asDiagonal() * eigen_.vectors().rightCols(rank) *
                              (root.asDiagonal() * pairs.u.leftCols(found));
    return true;
  }

  Index p_;
  Matrix<double> means_;  // of the classes, without the fold
  Vector<double> priors_;
  Vector<double> scale_;
  SymmetricEigen<double> eigen_;  // of S_w in these units
  Matrix<double> between_;        // the factor of S_b in its basis
  bool enough_rows_ = false;
  std::vector<char> regular_;
  Matrix<double> weights_, centres_;  // p columns and p rows for each ridge
};

}  // namespace

template <class S>
std::vector<Matrix<double>> fold_accuracy(DataStream<S>& stream, const Labels& labels, const FoldGrid& grid) {
  const ClassMeans all = class_means(stream, labels);
  const Index n = all.means.rows(), ridges = static_cast<Index>(grid.ridges.size());
  const Index most = std::min(all.present() - 1, n),
              p = grid.components > 0 ? std::min(grid.components, most) : most;
  if (p < 1) return {};
  const auto folds = fold_deviations(stream, labels, all, grid);
  Deviations sum(n, all.means.cols());
  for (const Deviations& fold : folds) sum.add(fold, 1);
  std::vector<std::optional<FoldDiscriminants>> fitted(folds.size());
  for (std::size_t k = 0; k < folds.size(); ++k) {
    Deviations rest = sum;
    rest.add(folds[k], -1);
    if (folds[k].counts.sum() > 0 && (rest.counts.array() > 0).count() > 1)
      fitted[k].emplace(all, rest, grid.ridges, p);
  }
  std::vector<Matrix<double>> right(folds.size(), Matrix<double>::Zero(p, ridges));
  RowsByFold<S> rows(labels, grid.folds, grid.seed);
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    rows.read(stream.view(0));
    for (std::size_t k = 0; k < folds.size(); ++k)
      if (fitted[k]) fitted[k]->classify(rows.columns(k), rows.roots(k), rows.classes(k), right[k]);
  }
  const Index used = std::ranges::count_if(fitted, [](const auto& one) { return one.has_value(); });
  std::vector<Matrix<double>> accuracy(static_cast<std::size_t>(p), Matrix<double>::Zero(used, ridges));
  for (Index r = 0; r < ridges; ++r) {
    const bool regular = std::ranges::all_of(
        fitted, [&](const auto& one) { return !one || one->is_regular(static_cast<std::size_t>(r)); });
    Index row = 0;
    for (std::size_t k = 0; regular && k < folds.size(); ++k) {
      if (!fitted[k]) continue;
      for (Index j = 0; j < p; ++j)
        accuracy[static_cast<std::size_t>(j)](row, r) = right[k](j, r) / folds[k].counts.sum();
      ++row;
    }
  }
  return accuracy;
}

template std::vector<Matrix<double>> fold_accuracy<float>(DataStream<float>&, const Labels&, const FoldGrid&);
template std::vector<Matrix<double>> fold_accuracy<double>(DataStream<double>&, const Labels&,
                                                           const FoldGrid&);

}  // namespace landfall
