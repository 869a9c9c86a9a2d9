#include <landfall/models/cca/cross_validation.hpp>
#include <landfall/models/cca/leading_pairs.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr double kMedium = 0.3;  // Cohen's medium: readers make nothing of a smaller correlation
constexpr double kErrors = 2;    // beyond which a difference is not chance
constexpr Index kLeastRows = 4;
constexpr Index kNarrow = 1000;  // columns up to which folds run at once, each on one thread, rather than one after the other on all
constexpr Index kEnoughRows = 10;  // per column, so that nobody would call them few

/// About the mean of the fold's own rows.
PairProblem centred(const FoldCovariances& fold) {
  const Covariances<double>& all = fold.covariances;
  const Vector<double>&a = fold.means[0], &b = fold.means[1];
  return {all.within[0] - a * a.transpose(), all.within[1] - b * b.transpose(),
          all.cross(0, 1) - a * b.transpose()};
}

/// In the coordinates of the basis, if there is one, the ridge I is T'T.
void add_ridge(Matrix<double>& metric, double ridge, const Point<double>& basis, std::size_t view) {
  if (ridge == 0) return;
  if (basis.empty())
    metric.diagonal().array() += ridge;
  else
    metric += ridge * basis[view].transpose() * basis[view];
}

FoldScores score(const FoldCovariances& fold, const LeadingPairs& pairs) {
  const PairProblem test = centred(fold);
  const auto diagonal = [](const Matrix<double>& x, const Matrix<double>& m, const Matrix<double>& y) {
    return Vector<double>(x.cwiseProduct(m * y).colwise().sum().transpose());
  };
  return {diagonal(pairs.left, test.left, pairs.left), diagonal(pairs.right, test.right, pairs.right),
          diagonal(pairs.left, test.cross, pairs.right), fold.covariances.rows, fold.weight};
}

/// As many as there are to be: beyond the rank of these rows they are zero, since what is not there does not correlate.
LeadingPairs all_pairs(PairProblem problem, Index p) {
  LeadingPairs pairs = leading_pairs(std::move(problem), p);
  const Index found = pairs.left.cols();
  if (found == p) return pairs;
  for (auto* weights : {&pairs.left, &pairs.right}) {
    weights->conservativeResize(Eigen::NoChange, p);
    weights->rightCols(p - found).setZero();
  }
  return pairs;
}

double correlation(double left, double right, double cross) {
  const double scale = std::sqrt(std::max(left, 0.0) * std::max(right, 0.0));
  return scale > 0 ? std::clamp(cross / scale, -1.0, 1.0) : 0;
}

}  // namespace

bool has_rows_for_folds(Index rows, int folds, Index p) {
  return rows >= kLeastRows * folds && rows * (folds - 1) / folds > p + 1;
}

CrossValidated cross_validate_cca(const std::vector<FoldCovariances>& folds,
                                  const CrossValidationOptions& options) {
  const double all = static_cast<double>(without_fold(folds, -1).covariances.rows);
  std::vector<std::optional<FoldScores>> found(folds.size());
  const auto test = [&](std::ptrdiff_t k) {
    options.cancel.throw_if_requested();
    const FoldCovariances& fold = folds[static_cast<std::size_t>(k)];
    const FoldCovariances rest = without_fold(folds, static_cast<int>(k));
    const Index rows = rest.covariances.rows;
    if (rows <= options.components + 1 || fold.covariances.rows < 2) return;
    PairProblem fit = centred(rest);
    const double ridge = options.ridge * (options.ridge_of_rows ? all / static_cast<double>(rows) : 1);
    add_ridge(fit.left, ridge, options.basis, 0);
    add_ridge(fit.right, ridge, options.basis, 1);
    found[static_cast<std::size_t>(k)] = score(fold, all_pairs(std::move(fit), options.components));
  };
  if (std::max(folds[0].means[0].size(), folds[0].means[1].size()) <= kNarrow) {
    const SerialBlas serial;
    parallel_for(static_cast<std::ptrdiff_t>(folds.size()), test);
  } else {
    for (std::size_t k = 0; k < folds.size(); ++k) test(static_cast<std::ptrdiff_t>(k));
  }
  std::vector<FoldScores> scores;
  for (const auto& one : found)
    if (one) scores.push_back(*one);
  return pooled(scores);
}

CrossValidated pooled(const std::vector<FoldScores>& folds) {
  CrossValidated result;
  if (folds.size() < 2) return result;
  const Index p = folds.front().cross.size();
  result.folds = static_cast<int>(folds.size());
  result.correlations.resize(p);
  result.errors.resize(p);
  result.by_fold.resize(p, result.folds);
  for (const FoldScores& fold : folds) result.rows += fold.rows;
  for (Index j = 0; j < p; ++j) {
    double left = 0, right = 0, cross = 0;
    for (std::size_t k = 0; k < folds.size(); ++k) {
      const FoldScores& fold = folds[k];
      left += fold.weight * fold.left(j);
      right += fold.weight * fold.right(j);
      cross += fold.weight * fold.cross(j);
      result.by_fold(j, static_cast<Index>(k)) = correlation(fold.left(j), fold.right(j), fold.cross(j));
    }
    result.correlations(j) = correlation(left, right, cross);
    const auto values = result.by_fold.row(j).array();
    const double k = static_cast<double>(folds.size());
    result.errors(j) = std::sqrt((values - values.mean()).square().sum() / (k - 1) / k);
  }
  return result;
}

double chance_error(const CrossValidated& tested, Index pair) {
  const double k = std::max(2, tested.folds), rows = static_cast<double>(std::max<Index>(tested.rows, 1));
  // The rows of K - 1 folds are fitted and those of one tested: (1/K + 1/(K - 1)) in place of 1/K.
  return std::sqrt(1 + k / (k - 1)) * std::max(tested.errors(pair), 1 / std::sqrt(rows));
}

Index real_pairs(const CrossValidated& tested) {
  Index p = 0;
  while (p < tested.correlations.size() && tested.correlations(p) > kErrors * chance_error(tested, p)) ++p;
  return p;
}

std::string overfit_warning(const Vector<double>& training, const CrossValidated& tested, Index rows,
                            Index columns) {
  if (tested.folds == 0) return {};
  std::vector<Index> parted;
  for (Index j = 0; j < training.size(); ++j) {
    const double found = training(j), held = tested.correlations(j);
    if (found > kMedium && held < found / 2 && found - held > kErrors * chance_error(tested, j))
      parted.push_back(j);
  }
  if (parted.empty()) return {};
  const Index first = parted.front();
  const std::size_t others = parted.size() - 1;
  const std::string more = others == 0   ? ""
                           : others == 1 ? ", and 1 more pair parts as far"
                                         : fmt::format(", and {} more pairs part as far", others);
  const bool few = rows < kEnoughRows * columns;
  return fmt::format(
      "overfitting: the correlation of pair {} is {:.3f} on the training rows but {:.3f} in "
      "cross-validation{}; {}trust the "
      "cross-validated values",
      first + 1, training(first), tested.correlations(first), more,
      few ? fmt::format("{} rows are few for {} columns, so ", rows, columns) : "");
}

}  // namespace landfall
