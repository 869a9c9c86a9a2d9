#include <landfall/linalg/decompositions.hpp>
#include <landfall/models/cca/leading_pairs.hpp>
#include <landfall/models/cca/resampling.hpp>
#include <landfall/models/cca/whitened_view.ipp>
#include <landfall/models/fit/column_loadings.hpp>

#include <algorithm>

namespace landfall {
namespace {

constexpr double kLevel = 0.95;

double fisher(double r) {
  return std::atanh(std::clamp(r, -1 + 1e-12, 1 - 1e-12));
}

/// Of sorted values, interpolated.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct Interval {
  double lower, upper, error;
};

/// 2 z - z* at both ends, back on the scale of correlations.
Interval basic_interval(double observed, std::vector<double> resampled) {
  double mean = 0, squares = 0;
  for (const double r : resampled) mean += r / static_cast<double>(resampled.size());
  for (const double r : resampled) squares += (r - mean) * (r - mean);
  std::ranges::sort(resampled);
  const double z = fisher(observed), tail = (1 - kLevel) / 2;
  return {std::tanh(2 * z - fisher(quantile(resampled, 1 - tail))),
          std::tanh(2 * z - fisher(quantile(resampled, tail))),
          std::sqrt(squares / static_cast<double>(std::max<std::size_t>(resampled.size() - 1, 1)))};
}

/// Canonical pairs of the whitened rows with given numbers, and the loadings of the columns.
struct Resample {
  Vector<double> correlations;
  std::array<Matrix<double>, 2> loadings;
};

class Resampler {
 public:
  Resampler(const KeptRows& rows, const ResamplingOptions& options)
      : views_{WhitenedView(rows.left, options.ridge), WhitenedView(rows.right, options.ridge)},
        pairs_(std::min({options.components, views_[0].rank(), views_[1].rank()})),
        wide_{rows.wide_left, rows.wide_right},
        roots_(rows.roots) {
    for (std::size_t v = 0; v < 2; ++v) {
      rows_[v] = views_[v].scores.transpose().cast<float>() * std::sqrt(static_cast<float>(rows.rows()));
      ridge_[v] = options.ridge * views_[v].basis.transpose() * views_[v].basis;
    }
  }

  Index rows() const { return rows_[0].cols(); }
  Index pairs() const { return pairs_; }

  /// Memory of one thread.
  using Work = std::array<Matrix<float>, 2>;

  Resample solve(const std::vector<Index>& numbers, Work& work) const {
    const bool weighted = roots_.size() > 0;
    const Vector<double> roots = weighted ? Vector<double>(roots_(numbers)) : Vector<double>();
    const double m = weighted ? roots.squaredNorm() : static_cast<double>(numbers.size());
    std::array<Matrix<double>, 2> covariance;
    std::array<Vector<double>, 2> mean;
    for (std::size_t v = 0; v < 2; ++v) {
      work[v].resize(rows_[v].rows(), static_cast<Index>(numbers.size()));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        work[v].col(static_cast<Index>(i)) = rows_[v].col(numbers[i]);
      mean[v] =
          (weighted ? Vector<float>(work[v] * roots.cast<float>()) : Vector<float>(work[v].rowwise().sum()))
              .cast<double>() /
          m;
    }
    const auto product = [&](std::size_t i, std::size_t j) {
      Matrix<float> sum(work[i].rows(), work[j].rows());
      multiply_bt<float>(work[i], work[j], sum);
      return Matrix<double>(sum.cast<double>() / m - mean[i] * mean[j].transpose());
    };
    for (std::size_t v = 0; v < 2; ++v) covariance[v] = product(v, v);
    LeadingPairs found =
        leading_pairs({covariance[0] + ridge_[0], covariance[1] + ridge_[1], product(0, 1)}, pairs_);
    Resample result{Vector<double>::Zero(pairs_), {}};
    const Matrix<double> cross = found.left.transpose() * product(0, 1) * found.right;
    const std::array weights{&found.left, &found.right};
    std::array<ScoreSpread, 2> scores;
    for (std::size_t v = 0; v < 2; ++v) {
      scores[v] = score_spread(weights[v]->transpose() * covariance[v] * *weights[v], {});
      if (wide_[v]) continue;
      const Matrix<double> columns = views_[v].back.transpose() * covariance[v];  // E f u', f = D'u
      const ColumnSpread spread{
          Vector<double>::Zero(columns.rows()),
          columns.cwiseProduct(views_[v].back.transpose()).rowwise().sum().cwiseMax(0).cwiseSqrt()};
      result.loadings[v] = column_loadings(columns * *weights[v], spread, scores[v]);
      if (result.loadings[v].cols() < pairs_) pad(result.loadings[v]);
    }
    for (Index j = 0; j < found.correlations.size(); ++j)
      result.correlations(j) = cross(j, j) / (scores[0].deviation(j) * scores[1].deviation(j));
    return result;
  }

 private:
  void pad(Matrix<double>& loadings) const {
    const Index known = loadings.cols();
    loadings.conservativeResize(Eigen::NoChange, pairs_);
    loadings.rightCols(pairs_ - known).setZero();
  }

  std::array<WhitenedView, 2> views_;
  Index pairs_;
  std::array<bool, 2> wide_;
  std::array<Matrix<float>, 2> rows_;  // whitened, unit variance, as columns
  std::array<Matrix<double>, 2> ridge_;
  Vector<double> roots_;  // of the weights of rows; empty: all weigh the same
};

std::vector<Index> drawn_rows(Index rows, std::uint64_t seed, int number) {
  std::vector<Index> numbers(static_cast<std::size_t>(rows));
  const std::uint64_t first = static_cast<std::uint64_t>(number) << 36;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const auto words = random_words({seed, 0xb007}, first + i / 4);
    for (std::size_t k = 0; k < 4 && i + k < numbers.size(); ++k)
      numbers[i + k] =
          static_cast<Index>(static_cast<std::uint64_t>(words[k]) * static_cast<std::uint64_t>(rows) >> 32);
  }
  return numbers;
}

/// Turns the loadings of a resample onto the observed ones.
void align(Resample& resample, const Resample& observed) {
  const Index p = observed.correlations.size();
  Matrix<double> overlap = Matrix<double>::Zero(p, p);
  for (std::size_t v = 0; v < 2; ++v)
    if (observed.loadings[v].size() > 0) overlap += resample.loadings[v].transpose() * observed.loadings[v];
  const Matrix<double> rotation = nearest_rotation<double>(overlap);
  for (auto& loadings : resample.loadings)
    if (loadings.size() > 0) loadings = (loadings * rotation).eval();
}

}  // namespace

CcaBootstrap bootstrap_cca(const KeptRows& rows, const ResamplingOptions& options) {
  const Resampler resampler(rows, options);
  std::vector<Index> all(static_cast<std::size_t>(resampler.rows()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  Resampler::Work work;
  const Resample observed = resampler.solve(all, work);
  std::vector<Resample> resamples(static_cast<std::size_t>(options.resamples));
  share_among_threads(options.resamples, options.cancel, [&] {
    return [&, own = Resampler::Work()](int i) mutable {
      Resample& resample = resamples[static_cast<std::size_t>(i)];
      resample = resampler.solve(drawn_rows(resampler.rows(), options.seed, i), own);
      align(resample, observed);
    };
  });

  const Index p = resampler.pairs();
  CcaBootstrap result;
  result.resamples = options.resamples;
  result.rows = resampler.rows();
  result.level = kLevel;
  result.lower = result.upper = result.errors = Vector<double>::Zero(options.components);
  const auto interval = [&](double value, const auto& get) {
    std::vector<double> values;
    for (const Resample& resample : resamples) values.push_back(get(resample));
    return basic_interval(value, std::move(values));
  };
  for (Index j = 0; j < p; ++j) {
    const Interval found =
        interval(observed.correlations(j), [&](const Resample& r) { return r.correlations(j); });
    result.lower(j) = found.lower;
    result.upper(j) = found.upper;
    result.errors(j) = found.error;
  }
  for (std::size_t v = 0; v < 2; ++v) {
    const Matrix<double>& loadings = observed.loadings[v];
    result.loadings[v].loadings = loadings;
    result.loadings[v].lower.resize(loadings.rows(), loadings.cols());
    result.loadings[v].upper.resize(loadings.rows(), loadings.cols());
    for (Index k = 0; k < loadings.cols(); ++k)
      for (Index j = 0; j < loadings.rows(); ++j) {
        const Interval found =
            interval(loadings(j, k), [&](const Resample& r) { return r.loadings[v](j, k); });
        result.loadings[v].lower(j, k) = found.lower;
        result.loadings[v].upper(j, k) = found.upper;
      }
  }
  return result;
}

}  // namespace landfall
