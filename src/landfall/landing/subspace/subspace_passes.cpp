// What happens at the end of a pass of SubspaceLanding: the start again where giants were found, the move beyond X, the estimated gap.
#include <landfall/landing/subspace/subspace_landing.hpp>
#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr double kMuch = 0.25;  // of the sum of h: heavy rows that have more of it are worth a new start
constexpr double kLeastLight = 0.01;  // of it, that the other rows may have
constexpr int kKept = 3;              // points of the first pass beside its first and its last one
// Steps of the correction, where the first rows know the spectrum beyond the guards: it stands out from their own noise by this factor.
constexpr int kCorrections = 3;
constexpr double kKnownSpectrum = 4;
constexpr double kRounding = 100;  // times epsilon: a gap that small may be rounding
constexpr double kOverrated = 8;   // what ||R||_K^2 may say, times the gap
// What X + D leaves of the estimated gap after the pass with steps, of the sampling error and of the residual; and after the next, times q/m.
constexpr double kLeftOfNoise = 1. / 2, kLeftOfResidual = 1. / 6, kLeftByInverse = 4;
// What a pass that measures leaves of the gap: limits, of the first with giants, and where only the residual tells.
constexpr double kFastest = 0.01, kFirstWithGiants = 0.25, kSlowest = 0.9, kSlowestByResidual = 0.7;

}  // namespace

/// The start, and X after each quarter of the first pass: their noise differs, and the next pass finds the best of their span.
template <class S>
void SubspaceLanding<S>::keep_point(double rows) {
  if (options_.rows == 0 || whole_) return;
  const auto quarter = [&](double seen) { return std::floor((kKept + 1) * seen / options_.rows); };
  const bool due =
      rows == 0 || (quarter(in_pass_ + rows) > quarter(in_pass_) && quarter(in_pass_ + rows) <= kKept);
  if (!due) return;
  auto& point = kept_.emplace_back();
  for (const auto& block : x_) point.push_back(block.leftCols(std::min(options_.wanted, block.cols())));
}

template <class S>
void SubspaceLanding<S>::end_pass(bool another) {
  if (ritz_.begun()) return end_ritz_pass();
  means_.end_pass(0);
  const bool heavy = options_.rows > 0 && !whole_ && (giants_ > 0 || heavy_->share() > kMuch);
  if (heavy && !restarted_ && !better_than_pilot()) restart();
  // K was made with the ridge of fewer rows.
  const bool faded = options_.rows > inverse_rows_ && options_.fading_rows > 0 && giants_ == 0 && !restarted_;
  if (faded) remake_inverses(options_.rows);
  in_pass_ = 0;
  if (options_.rows > 0) seen_ = options_.rows;
  const bool ordered = propose();
  if (whole_) heavy_->begin_pass();
  if (whole_ || options_.rows == 0) return;
  if (ordered) {
    step_beyond();
    if (giants_ == 0) progress_.gap = gap_ = gap_of(found_, kLeftOfResidual, kLeftOfNoise);
  } else {
    move_ = kr_;
  }
  if (!another) return;
  ritz_.begin(x_, first_directions());
  kept_.clear();
  means_.finish();
}

/// [D, P], where P are points of the first pass without their part in the span of X.
template <class S>
Point<S> SubspaceLanding<S>::first_directions() {
  Point<S> w = move_;
  for (std::size_t k = 0; k < w.size(); ++k)
    for (const auto& point : kept_) {
      const Index p = point[k].cols();
      w[k].conservativeResize(Eigen::NoChange, w[k].cols() + p);
      w[k].rightCols(p) = point[k];
      multiply<S>(x_[k], product_at<S>(bx_[k], point[k]), w[k].rightCols(p), -1, 1);
    }
  return w;
}

/// Of the estimates of the first rows together with the heavy ones, which have no sampling error.
template <class S>
double SubspaceLanding<S>::pilot_variance() const {
  return kFitted / static_cast<double>(first_->count()) * std::max(1 - heavy_->share(), kLeastLight);
}

/// Whether the residual at X, in which giants count exactly, and its sampling error are less than that of the first rows and the heavy ones.
template <class S>
bool SubspaceLanding<S>::better_than_pilot() {
  propose();
  const double ratio = pilot_variance() / std::max(means_.uncertainty(), 1e-300);
  return gap_of(found_) < gap_of({.squares = Vector<double>::Zero(values_.size())}, 1, ratio);
}

/// K of the first rows and of the heavy ones together, where it can be told of them.
template <class S>
void SubspaceLanding<S>::tell_inverses(const WeightedRows<S>& heavy) {
  const auto made = subspace_inverses(*first_, pilot_options(options_.rows), variance_, cancel_, &heavy);
  choice_.noise = 0;
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (made[k]->informed()) inverse_[k] = made[k];
    choice_.noise = std::max(choice_.noise, inverse_[k]->noise());
  }
}

/// Rows that make up much of B have been found in the first pass: the first rows are solved again together with the heavy ones.
template <class S>
void SubspaceLanding<S>::restart() {
  restarted_ = true;
  keep_point(0);
  WeightedRows<S> heavy = heavy_->kept_rows(*first_);
  discount_first_rows(*first_, heavy_->kept_count(), heavy);
  tell_inverses(heavy);
  SubspacePilot<S> pilot =
      solve_first_rows<S>(*first_, inverse_, pilot_options(options_.rows), &heavy, cancel_);
  x_ = std::move(pilot.x);
  for (auto& block : d_) block.setZero();
  values_ = pilot.values;
  factor_ = 1;
  sum_giants(x_);
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const Index c = x_[k].cols();
    pilot.sx[k] -= giant_sums_[k].leftCols(c);
    if (giant_sums_[k].cols() > c) pilot.ascent[k] -= giant_sums_[k].rightCols(c);
  }
  means_.start(x_, std::move(pilot.sx), std::move(pilot.ascent), pilot_variance());
}

/// At the point of the passes that measure.
template <class S>
typename SubspaceLanding<S>::Residual SubspaceLanding<S>::residual_of_all() {
  x_ = ritz_.x().z;
  values_ = ritz_.values().cwiseMax(0.0).cwiseMin(1.0);
  return residual(true);
}

/// What a pass gained is known, and the next ones gain less each as the residual falls: a geometric series. Its ratio is
/// not known well after one gain, nor where K knows giants only roughly.
template <class S>
void SubspaceLanding<S>::end_ritz_pass() {
  const Index p = std::min(options_.wanted, x_[0].cols());
  std::vector<double> ridges;
  for (std::size_t k = 0; k < x_.size(); ++k) ridges.push_back(ridge(k));
  const bool first = !measured();
  ritz_.end_pass(ridges);
  overshoot_ = overshoot();
  if (first) residual_gap_ = gap_of(residual_of_all());
  const double before = ritz_.values().head(p).sum(), error = residual_gap_;
  ritz_.advance(ridges);
  found_ = residual_of_all();
  residual_gap_ = gap_of(found_);
  const double total = values_.head(p).sum(), gain = std::max(total - before, 0.0) / std::max(total, 1e-300);
  const double falls = std::max(residual_gap_ / std::max(error, 1e-300), gain_ > 0 ? gain / gain_ : 0);
  const double ratio = std::clamp(falls, first && giants_ > 0 ? kFirstWithGiants : kFastest,
                                  gain_ > 0 ? kSlowest : kSlowestByResidual);
  gain_ = first ? 0 : gain;  // the first direction came from estimates
  gap_ = std::max(residual_gap_ / kOverrated / overshoot_, gain * ratio / (1 - ratio));
  // X + D is half of what the next pass does. After the first pass that measures the error is noise, of which K leaves q/m.
  const double left = kLeftByInverse * choice_.noise / static_cast<double>(first_->count());
  gap_ *= first && giants_ == 0 ? std::min(std::sqrt(ratio), left) : std::sqrt(ratio);
  step_beyond();
  progress_.infeasibility = 0;
  for (std::size_t k = 0; k < x_.size(); ++k)
    progress_.infeasibility = std::hypot(
        progress_.infeasibility, distance_to_identity(product_at<S>(x_[k], bx_[k]).template cast<double>()));
  progress_.step = 1;
  report();
  require_finite(kr_);
  if (residual_gap_ < kRounding * static_cast<double>(std::numeric_limits<S>::epsilon()))
    ritz_.begin(x_, move_);
  else
    ritz_.next(move_);
}

/// (X + D) L^-T, where L L' = (X + D)'B(X + D). R has a sampling error of square V, so it counts as R ||R||^2/(||R||^2 + V).
template <class S>
void SubspaceLanding<S>::step_beyond() {
  const Index c = values_.size();
  Vector<double> length(c), share(c);
  for (Index j = 0; j < c; ++j) {
    const double square = std::max(found_.squares(j), 1e-300);
    share(j) = square / (square + noise_of(j));
    length(j) =
        std::min(1 / (overshoot_ * std::max(values_(j), 1e-300)), kTrust / (share(j) * std::sqrt(square)));
  }
  Point<S> r = r_;
  CorrectionOptions options{.length = length};
  for (std::size_t k = 0; k < x_.size(); ++k) {
    r[k] *= share.template cast<S>().asDiagonal();
    options.ridge.push_back(ridge(k));
  }
  const double unknown = choice_.noise / static_cast<double>(first_->count());
  if (giants_ == 0 && values_(c - 1) * values_(c - 1) > kKnownSpectrum * unknown)
    options.steps = kCorrections;
  auto found = corrected_move<S>(*first_, inverse_, {x_, bx_, r, values_}, options, cancel_);
  move_ = std::move(found.d);
  squares_ = Vector<double>::Zero(c);
  for (std::size_t k = 0; k < x_.size(); ++k)
    squares_ +=
        (found.metric[k].diagonal().array() - 1)
            .matrix()
            .cwiseQuotient(
                move_[k].colwise().squaredNorm().transpose().template cast<double>().cwiseMax(1e-300));
  beyond_ = x_;
  for (std::size_t k = 0; k < x_.size(); ++k) {
    Matrix<double> t = Matrix<double>::Identity(c, c);
    if (const auto factor = Cholesky<double>::of(std::move(found.metric[k]), 0)) factor->solve_upper(t);
    multiply<S>(Matrix<S>(x_[k] + move_[k]), Matrix<S>(t.template cast<S>()), beyond_[k]);
  }
}

/// D'BD over D'K^-1 D, of the wanted columns: 1 where K is the inverse of B. Rows that K does not know may make it much larger.
template <class S>
double SubspaceLanding<S>::overshoot() const {
  const Index p = std::min(options_.wanted, squares_.size());
  Vector<double> found = Vector<double>::Zero(p);
  const RitzBasis<S>& d = ritz_.measured();
  for (std::size_t k = 0; k < d.z.size(); ++k)
    found += d.z[k]
                 .leftCols(p)
                 .cwiseProduct(d.sz[k].leftCols(p))
                 .colwise()
                 .sum()
                 .transpose()
                 .template cast<double>();
  return std::max(1.0, found.sum() / std::max(squares_.head(p).sum(), 1e-300));
}

template class SubspaceLanding<float>;
template class SubspaceLanding<double>;

}  // namespace landfall
