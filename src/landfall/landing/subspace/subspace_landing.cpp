#include <landfall/landing/subspace/relative_gap.hpp>
#include <landfall/landing/subspace/subspace_landing.hpp>
#include <landfall/linalg/cholesky.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr double kStable = 0.55;          // of 1/(1 + q/r)
constexpr double kGain = 4, kSignal = 8;  // of the step, see the header
constexpr double kFar = 0.5;              // ||X'BX - I|| beyond which steps may be too long
constexpr double kNearest = 0.25;         // eigenvalues of an estimate of X'BX, and their inverse
constexpr double kGiantMargin = 8;        // of the estimated gap where there are such rows

/// What the ridge has beside that of all rows, after so many.
double fading_ridge(const SubspaceOptions& options, double rows) {
  const double last = options.rows > 0 ? 1 / options.rows : 0;
  return options.fading_rows * std::max(0.0, 1 / rows - last);
}

template <class S>
Matrix<double> small_product(const Matrix<S>& a, const Matrix<S>& b) {
  return product_at<S>(a, b).template cast<double>();
}

}  // namespace

template <class S>
SubspaceLanding<S>::SubspaceLanding(std::shared_ptr<InMemorySamples<S>> first, const SubspaceOptions& options,
                                    std::vector<Vector<S>> variance, const CancelFlag& cancel)
    : first_(std::move(first)),
      options_(options),
      variance_(std::move(variance)),
      cancel_(cancel),
      means_(first_->shapes(), first_->objective(), first_->communicator()),
      ritz_(first_->objective(), options.rows, first_->communicator()),
      seen_(static_cast<double>(first_->count())),
      inverse_rows_(seen_) {
  const auto pilot_sizes = pilot_options(seen_);
  whole_ = pilot_sizes.whole;
  SubspacePilot<S> pilot = subspace_pilot(*first_, pilot_sizes, variance_, cancel_);
  inverse_ = pilot.inverse;
  choice_ = {.first_rows = first_->count(), .noise = pilot.noise, .pilot_steps = pilot.steps};
  for (const auto& k : inverse_) choice_.rank.push_back(k->rank());
  x_ = d_ = bx_ = r_ = kr_ = pilot.x;
  for (auto& block : d_) block.setZero();
  t_.resize(x_.size());
  values_ = pilot.values;
  means_.start(x_, std::move(pilot.sx), std::move(pilot.ascent), whole_ ? 0 : kFitted / seen_);
  heavy_ = heavy_rows();
  propose();
  keep_point(0);
}

template <class S>
SubspacePilotOptions SubspaceLanding<S>::pilot_options(double rows) const {
  SubspacePilotOptions pilot{
      .rank = options_.rank,
      .ridge = options_.ridge,
      .wanted = options_.wanted,
      .rows = options_.rows,
      .whole = options_.rows > 0 && static_cast<double>(first_->count()) >= options_.rows,
      .seed = options_.seed};
  if (pilot.rank.empty()) pilot.rank.assign(first_->shapes().size(), 64);
  for (double& ridge : pilot.ridge) ridge += fading_ridge(options_, rows);
  return pilot;
}

template <class S>
double SubspaceLanding<S>::ridge(std::size_t view) const {
  return options_.ridge[view] + fading_ridge(options_, seen_);
}

/// K for the ridge of twice as many rows, where it is cheap because its basis is not complete.
template <class S>
void SubspaceLanding<S>::follow_ridge() {
  if (options_.fading_rows == 0 || seen_ < 2 * inverse_rows_ || giants_ > 0) return;
  for (std::size_t k = 0; k < x_.size(); ++k)
    if (inverse_[k]->rank() == x_[k].rows()) return;
  remake_inverses(seen_);
}

template <class S>
void SubspaceLanding<S>::remake_inverses(double rows) {
  inverse_ = subspace_inverses(*first_, pilot_options(rows), variance_, cancel_);
  inverse_rows_ = rows;
  choice_.noise = 0;
  for (const auto& k : inverse_) choice_.noise = std::max(choice_.noise, k->noise());
}

template <class S>
HeavyRows<S> SubspaceLanding<S>::heavy_rows() const {
  std::vector<Matrix<S>> probes;
  std::vector<double> sizes;
  for (const auto& k : inverse_) {
    probes.push_back(k->probes());
    sizes.push_back(k->size_of_rows());
  }
  return HeavyRows<S>(std::move(probes), std::move(sizes), options_.rows, !whole_, first_->communicator());
}

template <class S>
void SubspaceLanding<S>::step(const std::vector<const CentredBatch<S>*>& views, bool again) {
  if (ritz_.begun()) {
    ritz_.add(views);
    ++progress_.iteration;
    return;
  }
  beyond_.clear();
  const auto parts = heavy_->split(views);
  shorten_move(know_giants());
  means_.add(parts, x_, d_);
  keep_point(means_.rows());
  in_pass_ += means_.rows();
  if (options_.rows > 0)
    seen_ = std::min(std::max(seen_, in_pass_), options_.rows);
  else if (!again)
    seen_ += means_.rows();
  follow_ridge();
  ++progress_.iteration;
  propose();
  back_off();
}

/// Single rows may make up much of B: K, which was made without them, must know.
template <class S>
bool SubspaceLanding<S>::know_giants() {
  const Index before = giants_;
  for (const auto& giant : heavy_->giants()) {
    inverse_[giant.view]->add_row(giant.row, options_.rows);
    ++giants_;
  }
  return giants_ > before;
}

/// What the giants add to S X and to the ascent direction.
template <class S>
void SubspaceLanding<S>::sum_giants(const Point<S>& x) {
  const bool known = static_cast<bool>(first_->objective().known);
  const WeightedRows<S>& rows = heavy_->giants_of_all();
  const Index count = rows.views[0]->rows();
  giant_sums_.resize(x.size());
  giant_scores_.resize(x.size());
  for (std::size_t k = 0; k < x.size() && count > 0; ++k)
    rows.views[k]->times(x[k], giant_scores_[k].resize(count, x[k].cols()));
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Index c = x[k].cols();
    giant_sums_[k].setZero(x[k].rows(), known ? c : 2 * c);
    if (count == 0) continue;
    const S weight = rows.weights(0);
    rows.views[k]->transpose_times(giant_scores_[k].view(), giant_sums_[k].leftCols(c), weight, 0);
    if (!known)
      rows.views[k]->transpose_times(giant_scores_[1 - k].view(), giant_sums_[k].rightCols(c), weight, 0);
  }
  reduce(first_->communicator(), giant_sums_);
}

/// The means of the other rows, and the giants themselves: they have no sampling error.
template <class S>
void SubspaceLanding<S>::add_giants() {
  if (!with_giants()) return;
  sum_giants(x_);
  const auto others = static_cast<S>(1 - static_cast<double>(heavy_->giant_count()) / options_.rows);
  sx_ = means_.sx();
  ascent_ = means_.ascent();
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const Index c = x_[k].cols();
    sx_[k] = others * sx_[k] + giant_sums_[k].leftCols(c);
    if (giant_sums_[k].cols() > c) ascent_[k] = others * ascent_[k] + giant_sums_[k].rightCols(c);
  }
}

/// The move was chosen before its batch was known: it is shortened where a row is too heavy to carry estimates that far,
/// and not made where K was wrong.
template <class S>
void SubspaceLanding<S>::shorten_move(bool surprised) {
  const double r = std::max(means_.rows(), 1.0), q = choice_.noise;
  const double factor = surprised ? 0 : (r + q) / (r + heavy_->excess() * q);
  if (factor < 1)
    for (auto& block : d_) block *= static_cast<S>(factor);
}

/// Estimates that are far from the manifold again and again are moved more by noise than by the field.
template <class S>
void SubspaceLanding<S>::back_off() {
  constexpr int kWindow = 32, kMost = 8;
  far_ += !(progress_.infeasibility <= kFar);
  if (++in_window_ < kWindow) return;
  if (far_ >= kMost) {
    factor_ /= 2;
    ++progress_.back_offs;
  }
  far_ = in_window_ = 0;
}

template <class S>
Point<S> SubspaceLanding<S>::bx() const {
  Point<S> bx = sx();
  for (std::size_t k = 0; k < bx.size(); ++k) bx[k] += static_cast<S>(ridge(k)) * x_[k];
  return bx;
}

/// X <- X T, the normal term; true where it also diagonalised X'G.
template <class S>
bool SubspaceLanding<S>::turn() {
  add_giants();
  const std::size_t views = x_.size();
  std::vector<Matrix<double>> metric;
  double infeasibility = 0;
  for (std::size_t k = 0; k < views; ++k) {
    bx_[k] = sx()[k] + static_cast<S>(ridge(k)) * x_[k];
    metric.push_back(small_product(x_[k], bx_[k]));
    symmetrize<double>(metric[k]);
    infeasibility = std::hypot(infeasibility, distance_to_identity(metric[k]));
  }
  progress_.infeasibility = infeasibility;
  Matrix<double> cross = small_product(x_[0], ascent()[0]);
  if (views == 2) cross = (cross + small_product(x_[1], ascent()[1]).transpose()) / 2;
  // Estimates of X'BX this far from the identity are noise or news: X changes by a factor of two at most.
  bool near = true;
  SymmetricEigen<double> eigen;
  for (std::size_t k = 0; k < views; ++k) {
    eigen.compute(metric[k]);
    // A negative one says nothing about the length.
    const Vector<double> bounded = eigen.values().unaryExpr(
        [](double value) { return value > 0 ? std::clamp(value, kNearest, 1 / kNearest) : 1.0; });
    near = near && bounded == eigen.values();
    t_[k] = (eigen.vectors() * bounded.cwiseSqrt().cwiseInverse().asDiagonal() * eigen.vectors().transpose())
                .template cast<S>();
  }
  if (near) {
    const Ritz ritz = solve_ritz(metric, cross, x_[0].cols(), 0);
    values_ = ritz.values.cwiseMax(0.0).cwiseMin(1.0);
    for (std::size_t k = 0; k < views; ++k) {
      const Index c = x_[k].cols();
      const Matrix<double> step = (3 * Matrix<double>::Identity(c, c) - metric[k]) / 2;
      t_[k] = (options_.rotate ? ritz.coefficients[k] : step).template cast<S>();
    }
  }
  means_.turn(x_, t_);
  add_giants();
  return near && options_.rotate;
}

/// R = G - B X diag(rho), and K R.
template <class S>
typename SubspaceLanding<S>::Residual SubspaceLanding<S>::residual(bool rotated) {
  const std::size_t views = x_.size();
  const Index c = x_[0].cols(), p = std::min(options_.wanted, c);
  Residual found{.squares = Vector<double>::Zero(c)};
  for (std::size_t k = 0; k < views; ++k) {
    bx_[k] = sx()[k] + static_cast<S>(ridge(k)) * x_[k];
    if (rotated) {
      r_[k] = ascent()[k] - bx_[k] * values_.template cast<S>().asDiagonal();
    } else {
      r_[k] = ascent()[k];
      multiply<S>(bx_[k], product_at<S>(x_[k], ascent()[k]), r_[k], -1, 1);
    }
  }
  apply_inverses(inverse_, r_, kr_, first_->communicator());
  for (std::size_t k = 0; k < views; ++k) {
    const Vector<double> own =
        r_[k].cwiseProduct(kr_[k]).colwise().sum().transpose().template cast<double>().cwiseMax(0.0);
    found.squares += own / static_cast<double>(views);
    found.largest = std::max(found.largest, own.head(p).sum());
    found.longest = std::max(found.longest, std::sqrt(own.sum() / static_cast<double>(c)));
  }
  return found;
}

/// D = eta K R, the tangent term. True where X is in the order of the values.
template <class S>
bool SubspaceLanding<S>::propose() {
  const bool rotated = turn();
  found_ = residual(rotated);
  const Index p = std::min(options_.wanted, x_[0].cols());
  const bool known = static_cast<bool>(first_->objective().known);
  double noise = 0;
  for (Index j = 0; j < p; ++j) noise += known ? values_(j) * values_(j) : 1 - values_(j) * values_(j);
  const double r = std::max(means_.rows(), 1.0), q = choice_.noise;
  const double v = std::max(means_.variance(), options_.rows > 0 ? 1 / options_.rows : 0);
  const double ratio = found_.largest / std::max(2 * v * q * noise, 1e-300);
  const double stable = options_.step > 0 ? options_.step : kStable * r / (r + q);
  double eta = factor_ * std::min(stable, kGain * r * v * std::max(1.0, kSignal * ratio));
  choice_.step = stable;
  eta = std::min(eta, kTrust / std::max(found_.longest, 1e-300));
  for (std::size_t k = 0; k < x_.size(); ++k) d_[k] = static_cast<S>(eta) * kr_[k];
  progress_.step = eta;
  gap_ = gap_of(found_);
  report();
  require_finite(d_);
  return rotated;
}

template <class S>
void SubspaceLanding<S>::report() {
  const Index p = std::min(options_.wanted, values_.size());
  progress_.gap = gap_;
  progress_.objective = -values_.head(p).sum();
  progress_.stationarity = std::sqrt(found_.squares.head(p).sum() / static_cast<double>(p));
  progress_.attraction = 0.25 / std::max(progress_.step, 1e-300);
  progress_.field_norm = static_cast<double>(norm(r_));
}

template <class S>
void SubspaceLanding<S>::require_finite(const Point<S>& move) {
  const auto finite = [](const Matrix<S>& block) { return block.allFinite(); };
  diverged_ = diverged_ || !std::ranges::all_of(x_, finite) || !std::ranges::all_of(move, finite);
}

/// The sampling error of a column of R, as a part of ||R||_K^2.
template <class S>
double SubspaceLanding<S>::noise_of(Index column) const {
  const double square = values_(column) * values_(column);
  const double share = first_->objective().known ? square : 1 - square;
  return measured() ? 0 : means_.uncertainty() * choice_.noise * share;
}

/// A step changes nothing of what the guards may become. K knows rows that are as large as many others only roughly.
template <class S>
double SubspaceLanding<S>::gap_of(const Residual& residual, double of_residual, double of_noise) const {
  Vector<double> squares = residual.squares;
  for (Index j = 0; j < squares.size(); ++j)
    squares(j) =
        j < options_.wanted ? of_residual * squares(j) + of_noise * noise_of(j) : squares(j) + noise_of(j);
  return relative_gap(values_, squares, options_.wanted, giants_ > 0 && !measured() ? kGiantMargin : 1);
}

template <class S>
void SubspaceLanding<S>::state(State& state) {
  means_.state(state);
  state(x_, d_, kept_, move_, squares_, overshoot_, beyond_, values_, seen_, in_pass_, inverse_rows_, gap_,
        residual_gap_, gain_, factor_, far_, in_window_, giants_, restarted_, choice_.step, choice_.noise,
        progress_);
  heavy_->state(state);
  ritz_.state(state);
  if (state.loading() && inverse_rows_ > static_cast<double>(first_->count())) remake_inverses(inverse_rows_);
  if (state.loading() && restarted_) {
    WeightedRows<S> heavy = heavy_->kept_rows(*first_);
    discount_first_rows(*first_, heavy_->kept_count(), heavy);
    tell_inverses(heavy);
  }
  for (auto& k : inverse_) k->state(state);
}

template class SubspaceLanding<float>;
template class SubspaceLanding<double>;

}  // namespace landfall
