#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/models/ica/ica_start.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

// Of the warm-up: steps from one look at the signs to the next, and looks at most.
constexpr Index kStepsPerRound = 48;
constexpr int kMostRounds = 40;
// Of |c| over E g'(y) y: 0.28 for a Laplace source and log cosh. Less than this does not make f larger, or
// the steps would be too long once the first sources are found.
constexpr double kLeastNonlinearity = 0.12;
// Of the fixed point before it: iterations at most, and 1 - |cos| of an angle that is small.
constexpr int kMostTurns = 30;
constexpr double kTurned = 1e-2;
// Where the first start takes more than so many, or among principal components, which are seldom mixtures of
// as many sources, there may be several fixed points: the best of some starts.
constexpr int kEasyTurns = 12, kStarts = 4;

}  // namespace

double doubt(const ComponentMoments& moments) {
  return 3 * moments.slopes.diagonal().cwiseAbs().mean() / std::sqrt(static_cast<double>(moments.rows));
}

template <class S>
void reweigh(const ComponentMoments& moments, double least, Vector<S>& weights) {
  const Vector<double> c = moments.nonlinearity();
  const double slope = moments.slopes.diagonal().cwiseAbs().mean();
  const double largest = std::max(c.cwiseAbs().maxCoeff(), kLeastNonlinearity * slope);
  for (Index j = 0; j < c.size(); ++j) {
    double sign = weights(j) < 0 ? -1 : 1;
    if (weights(j) == 0)
      sign = c.sum() < 0 ? -1 : 1;
    else if (sign * c(j) < -least)
      sign = -sign;
    weights(j) = static_cast<S>(sign / (2 * largest));
  }
}

template <class S>
IcaStart<S>::IcaStart(std::shared_ptr<InMemorySamples<S>> first, std::shared_ptr<Vector<S>> weights,
                      const IcaOptions& options, const Whitening* whitening)
    : first_(std::move(first)), weights_(std::move(weights)), options_(options) {
  const auto [n, p] = first_->shapes().front();
  Whitening own;
  if (whitening == nullptr && squares_fit(n, options.memory)) {
    own = whiten(covariance_of<S>(first_->batches(), n, first_->communicator()), first_->ridge(0),
                 rank_tolerance<double>(n));
    if (own.rank() < p)
      throw NumericalError(fmt::format("the first {} rows have rank {}, expected at least p = {}",
                                       first_->count(), own.rank(), p));
    whitening = &own;
  }
  pilot_ = whitening != nullptr ? pilot_of(*whitening, *first_, p, options.seed)
                                : estimate_pilot(*first_, options.landing.rank, options.seed);
  whole_ = n == p || (whitening != nullptr && whitening->rank() == p);
  x_ = pilot_.start;
}

template <class S>
int IcaStart<S>::warm_up(double variance) {
  if (options_.landing.warm_up <= 0) {
    reweigh<S>(this->moments(), 0, *weights_);
    return 0;
  }
  const auto batches = static_cast<Index>(first_->batches().size());
  const double size = static_cast<double>(first_->batch_rows());
  const int passes = static_cast<int>(std::max<Index>(2, (kStepsPerRound + batches - 1) / batches));
  int made = 0;
  bool settled = false;
  auto [moments, found_all] = turn_to_sources();
  const int least = found_all ? std::min(2, options_.landing.warm_up) : options_.landing.warm_up;
  reweigh<S>(moments, 0, *weights_);               // all the same
  reweigh<S>(moments, doubt(moments), *weights_);  // but those that are known
  for (int round = 1; round <= kMostRounds; ++round) {
    if (!oracle_) {
      const SamplingOptions sampling{.estimator = options_.landing.estimator, .pass_variance = variance};
      oracle_ = std::make_unique<SampledOracle<S>>(first_, sampling, fields());
    }
    x_ = solve<S>(*oracle_, std::move(x_),
                  {.step = {.rule = StepRule::fixed, .size = step(size)},
                   .omega = options_.landing.omega,
                   .stop = stop::passes(oracle_->passes() + passes),
                   .cancel = options_.cancel,
                   .history = 0})
             .x;
    made += passes;
    const double found = moments.nonlinearity().cwiseAbs().sum();
    moments = this->moments();
    const bool enough = made >= least && moments.nonlinearity().cwiseAbs().sum() < 1.02 * found;
    // Signs that are in doubt are tried the other way once the others have found their sources.
    if (change(moments, enough && !settled ? 0 : doubt(moments)))
      oracle_.reset();  // another f: what the estimator knows is of no use for it
    else if (enough)
      break;
    settled = settled || enough;
  }
  return made;
}

/// Takes the weights that the components ask for where they differ much from those there are.
template <class S>
bool IcaStart<S>::change(const ComponentMoments& moments, double least) {
  Vector<S> weights = *weights_;
  reweigh<S>(moments, least, weights);
  const S ratio = weights.cwiseAbs().maxCoeff() / weights_->cwiseAbs().maxCoeff();
  const bool differ = (weights.array() * weights_->array() < 0).any() || ratio > S(1.5) || ratio < S(0.7);
  if (differ) *weights_ = weights;
  return differ;
}

/// FastICA (Hyvarinen 1999) among the components: X <- X R', R the rotation nearest to E g'(y) y' - diag E g''(y). It
/// needs no signs, which mixtures of many sources of both kinds do not show.
template <class S>
std::pair<ComponentMoments, bool> IcaStart<S>::turn_to_sources() {
  x_.front() = feasible();  // and stays it
  const Matrix<S> first = x_.front();
  ComponentMoments best;
  Matrix<S> at_best;
  double most = -1;
  bool near = false;
  int turns = 0;
  const bool reduced = whole_ && first.rows() > first.cols();
  for (int start = 0; start == 0 || (start < kStarts && (reduced || turns > kEasyTurns)); ++start) {
    if (start > 0)
      x_.front() = first * random_orthonormal(first.cols(), first.cols(),
                                              {options_.seed, 0xf1c + static_cast<std::uint64_t>(start)})
                               .template cast<S>();
    ComponentMoments found;
    double turned = 1;
    for (int turn = 0;; ++turn) {
      found = component_moments<S>(first_->batches(), options_.contrast, x_.front(), first_->communicator());
      if (start == 0) turns = turn;
      if (turn == kMostTurns || turned <= kTurned) break;
      Matrix<double> factor = found.slopes.transpose();
      factor.diagonal() -= found.curvature;
      const Matrix<double> rotation = nearest_rotation<double>(factor);
      x_.front() *= rotation.transpose().template cast<S>();
      turned = 1 - rotation.diagonal().cwiseAbs().minCoeff();
    }
    const double sum = (found.value.array() - gaussian_value(options_.contrast)).square().sum();
    if (start > 0 && !(sum > most)) continue;
    most = sum;
    at_best = x_.front();
    best = std::move(found);
    near = turned <= kTurned;
  }
  x_.front() = at_best;
  return {std::move(best), near && whole_};
}

/// c has a meaning for unit variance alone.
template <class S>
ComponentMoments IcaStart<S>::moments() const {
  return component_moments<S>(first_->batches(), options_.contrast, feasible(), first_->communicator());
}

/// X brought back to the manifold of the first rows.
template <class S>
Matrix<S> IcaStart<S>::feasible() const {
  const Index p = x_.front().cols();
  Matrix<double> gram = Matrix<double>::Zero(p, p);
  Matrix<S> y, square(p, p);
  for (const auto& batch : first_->batches()) {
    if (batch.front().rows() == 0) continue;
    y.resize(batch.front().rows(), p);
    batch.front().times(x_.front(), y);
    multiply_at<S>(y, y, square);
    gram += square.template cast<double>();
  }
  reduce(first_->communicator(), gram);
  SymmetricEigen<double> eigen;
  eigen.compute(gram / static_cast<double>(first_->count()));
  return x_.front() * eigen.inverse_root().template cast<S>();
}

LANDFALL_ICA_START(, float)
LANDFALL_ICA_START(, double)

}  // namespace landfall
