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
constexpr double kTrust = 0.3;            // moves are at most this long in the metric of K^-1, per column
constexpr double kFar = 0.5;              // ||X'BX - I|| beyond which steps may be too long
constexpr double kNearest = 0.25;         // eigenvalues of an estimate of X'BX, and their inverse
constexpr double kGiantMargin = 8;        // of the estimated gap where there are such rows
constexpr double kFitted = 4;             // X was fitted to the first rows: they count as a quarter
constexpr int kKept = 3;                  // points of the first pass beside its first and its last one
// Steps of the correction, where the first rows know the spectrum beyond the guards: it stands out from their own noise by this factor.
constexpr int kCorrections = 3;
constexpr double kKnownSpectrum = 4;
constexpr double kRounding = 100;  // times epsilon: a gap that small may be rounding
constexpr double kOverrated = 8;   // what ||R||_K^2 may say, times the gap
// What X + D leaves of the estimated gap after the pass with steps, of the sampling error and of the residual; and after the next, times q/m.
constexpr double kLeftOfNoise = 1. / 2, kLeftOfResidual = 1. / 6, kLeftByInverse = 4;
// What a pass that measures leaves of the gap: limits, of the first with giants, and where only the residual tells.
constexpr double kFastest = 0.01, kFirstWithGiants = 0.25, kSlowest = 0.9, kSlowestByResidual = 0.7;

/// What the ridge has beside that of all rows, after so many.
double fading_ridge(const SubspaceOptions& options, double rows) {
  const double last = options.rows > 0 ? 1 / options.rows : 0;
  return options.fading_rows * std::max(0.0, 1 / rows - last);
}

template <class S>
SubspacePilotOptions pilot_options(const InMemorySamples<S>& first, const SubspaceOptions& options,
                                   double rows) {
  SubspacePilotOptions pilot{.rank = options.rank,
                             .ridge = options.ridge,
                             .wanted = options.wanted,
                             .rows = options.rows,
                             .whole = options.rows > 0 && static_cast<double>(first.count()) >= options.rows,
                             .seed = options.seed};
  if (pilot.rank.empty()) pilot.rank.assign(first.shapes().size(), 64);
  for (double& ridge : pilot.ridge) ridge += fading_ridge(options, rows);
  return pilot;
}

template <class S>
Matrix<double> small_product(const Matrix<S>& a, const Matrix<S>& b) {
  return product_at<S>(a, b).template cast<double>();
}

template <class S>
bool finite(const Point<S>& point) {
  return std::ranges::all_of(point, [](const auto& block) { return block.allFinite(); });
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
  const auto pilot_sizes = pilot_options(*first_, options_, seen_);
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
  inverse_ = subspace_inverses(*first_, pilot_options(*first_, options_, rows), variance_, cancel_);
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
  if (giants_ > 0 && !restarted_ && !better_than_pilot()) restart();
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
    progress_.infeasibility =
        std::hypot(progress_.infeasibility, distance_to_identity(small_product(x_[k], bx_[k])));
  progress_.step = 1;
  report();
  diverged_ = diverged_ || !finite(x_) || !finite(kr_);
  if (residual_gap_ < kRounding * static_cast<double>(std::numeric_limits<S>::epsilon()))
    ritz_.begin(x_, move_);
  else
    ritz_.next(move_);
}

/// Whether the residual at X, in which giants count exactly, and its sampling error are less than the sampling error of the first rows.
template <class S>
bool SubspaceLanding<S>::better_than_pilot() {
  propose();
  const double ratio =
      kFitted / static_cast<double>(first_->count()) / std::max(means_.uncertainty(), 1e-300);
  return gap_of(found_) < gap_of({.squares = Vector<double>::Zero(values_.size())}, 1, ratio);
}

/// K of the first rows and of the heavy ones together, where it can be told of them.
template <class S>
void SubspaceLanding<S>::tell_inverses(const WeightedRows<S>& heavy) {
  const auto made =
      subspace_inverses(*first_, pilot_options(*first_, options_, options_.rows), variance_, cancel_, &heavy);
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
  SubspacePilot<S> pilot = solve_first_rows<S>(
      *first_, inverse_, pilot_options(*first_, options_, options_.rows), &heavy, cancel_);
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
  means_.start(x_, std::move(pilot.sx), std::move(pilot.ascent),
               kFitted / static_cast<double>(first_->count()));
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
  diverged_ = diverged_ || !finite(x_) || !finite(d_);
  return rotated;
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

template <class S>
void SubspaceLanding<S>::report() {
  const Index p = std::min(options_.wanted, values_.size());
  progress_.gap = gap_;
  progress_.objective = -values_.head(p).sum();
  progress_.stationarity = std::sqrt(found_.squares.head(p).sum() / static_cast<double>(p));
  progress_.attraction = 0.25 / std::max(progress_.step, 1e-300);
  progress_.field_norm = static_cast<double>(norm(r_));
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
