#include <landfall/errors.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/restore.hpp>
#include <landfall/linalg/products.hpp>

#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr int kRefresh = 50;  // steps after which carried products are made afresh, against rounding

}  // namespace

template <class S>
StiefelOracle<S>::StiefelOracle(Objective<S> f, std::vector<StiefelBlock<S>> blocks)
    : blocks_(std::move(blocks)), f_(std::move(f)) {
  if (blocks_.empty()) throw UsageError("an oracle needs at least one block");
  for (const auto& block : blocks_) {
    if (!block.b) throw UsageError("a block needs B; the identity gives the plain Stiefel manifold");
    if (block.components < 1 || block.components > block.b->size())
      throw UsageError(fmt::format("{} components requested for B of size {}, expected 1 to {}",
                                   block.components, block.b->size(), block.b->size()));
    shapes_.push_back({block.b->size(), block.components});
    kernels_.emplace_back(block.field);
    scales_.push_back(
        block.field.normal == Normal::newton ? 1.0 : static_cast<double>(largest_eigenvalue(*block.b)));
    h_.emplace_back(block.components, block.components);
  }
  multipliers_.resize(blocks_.size());
  rays_.resize(blocks_.size());
  for (Point<S>* point : {&y_, &g_, &z_, &trial_y_, &trial_g_}) resize(*point, shapes_);
}

template <class S>
void StiefelOracle<S>::multiply_b(const Point<S>& x, Point<S>& y) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].b->apply(x[i], y[i]);
  counts_.products += blocks_.size();
}

template <class S>
double StiefelOracle<S>::objective(const Point<S>& x, Point<S>& gradient, bool) {
  return static_cast<double>(f_(x, &gradient));
}

template <class S>
void StiefelOracle<S>::evaluate(const Point<S>& x, const Pull* pull, FieldValue<S>& out) {
  if (!carried_) {
    multiply_b(x, y_);
    age_ = 0;
  }
  resize(out.lambda, shapes_);
  out.objective = objective(x, g_, carried_);
  ++counts_.gradients;
  carried_ = true;  // until x moves

  out.omega = 0;
  double infeasibility = 0, stationarity = 0, slope = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const double omega = pull ? pull->weight(scales_[i]) : 0;
    kernels_[i](x[i], g_[i], y_[i], y_[i], static_cast<S>(omega), out.lambda[i]);
    out.omega = std::max(out.omega, omega);
    infeasibility += static_cast<double>(kernels_[i].residual().squaredNorm());
    const double scale = static_cast<double>(kernels_[i].tangent_scale());
    if (scale > 0) stationarity += std::pow(static_cast<double>(kernels_[i].tangent_norm()) / scale, 2);
    if (!pull) slope += static_cast<double>(out.lambda[i].cwiseProduct(g_[i]).sum());
  }
  out.infeasibility = std::sqrt(infeasibility);
  out.stationarity = std::sqrt(stationarity);
  slope_ = slope;
}

template <class S>
void StiefelOracle<S>::attract(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  double largest = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const double omega = pull.weight(scales_[i]);
    kernels_[i].add_normal(x[i], y_[i], static_cast<S>(omega), out.lambda[i]);
    largest = std::max(largest, omega);
  }
  out.omega += largest;
}

template <class S>
std::optional<RayPolynomial> StiefelOracle<S>::ray(const Point<S>&, const Point<S>& direction) {
  multiply_b(direction, z_);
  ray_known_ = true;
  RayPolynomial sum;
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    sum += ray_polynomial<S>(kernels_[i].residual(), y_[i], direction[i], z_[i], rays_[i]);
  return sum;
}

template <class S>
void StiefelOracle<S>::moved(std::optional<double> step_along_ray) {
  carried_ = step_along_ray && ray_known_ && ++age_ < kRefresh;
  if (carried_)
    for (std::size_t i = 0; i < blocks_.size(); ++i) y_[i] -= static_cast<S>(*step_along_ray) * z_[i];
  ray_known_ = false;
}

template <class S>
double StiefelOracle<S>::infeasibility(const Point<S>& x) {
  multiply_b(x, trial_y_);
  double sum = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    multiply_at<S>(x[i], trial_y_[i], h_[i]);
    h_[i].diagonal().array() -= S(1);
    sum += static_cast<double>(h_[i].squaredNorm());
  }
  return std::sqrt(sum);
}

template <class S>
double StiefelOracle<S>::merit(const Point<S>& x, double beta) {
  const double infeasible = infeasibility(x);
  double value = objective(x, trial_g_, false) + beta * infeasible * infeasible;
  ++counts_.gradients;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Matrix<S>& lambda = multipliers_[i].compute(trial_y_[i], trial_g_[i]);
    value -= static_cast<double>(h_[i].cwiseProduct(lambda).sum());
  }
  return value;
}

template <class S>
double StiefelOracle<S>::multiplier_size(const Point<S>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    multiply_at<S>(x[i], g_[i], h_[i]);
    sum += static_cast<double>(h_[i].squaredNorm());
  }
  return std::sqrt(sum) / 2;
}

template <class S>
Restoration StiefelOracle<S>::restore(Point<S>& x, double epsilon) {
  moved(std::nullopt);
  Restoration total;
  // ||h||^2 is the sum over the blocks, so each gets its share of epsilon.
  const double share = epsilon / std::sqrt(static_cast<double>(blocks_.size()));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto done = restore_stiefel<S>(x[i], share, [&](const Matrix<S>& at, Matrix<S>& y) {
      blocks_[i].b->apply(at, y);
      ++counts_.products;
    });
    total.steps = std::max(total.steps, done.steps);
    total.from = std::hypot(total.from, done.from);
    total.to = std::hypot(total.to, done.to);
  }
  return total;
}

template <class S>
QuadraticOracle<S>::QuadraticOracle(OperatorPtr<S> a, double sign, StiefelBlock<S> block)
    : StiefelOracle<S>(Objective<S>{}, {block}), a_(std::move(a)), sign_(static_cast<S>(sign)) {
  if (!a_) throw UsageError("a quadratic oracle needs A");
  if (a_->size() != block.b->size())
    throw UsageError(
        fmt::format("A has size {}, B has size {}; expected the same", a_->size(), block.b->size()));
  v_.resize(a_->size(), block.components);
  multiplier_.resize(block.components, block.components);
}

template <class S>
double QuadraticOracle<S>::objective(const Point<S>& x, Point<S>& gradient, bool carried) {
  if (!carried) {
    a_->apply(x[0], gradient[0]);
    gradient[0] *= sign_;
  }
  return 0.5 * static_cast<double>(x[0].cwiseProduct(gradient[0]).sum());
}

template <class S>
std::optional<RayPolynomial> QuadraticOracle<S>::ray(const Point<S>& x, const Point<S>& direction) {
  auto polynomial = StiefelOracle<S>::ray(x, direction);
  a_->apply(direction[0], v_);
  v_ *= sign_;
  // f - <h, lambda> along the ray with lambda = sym(X'G)/2 held fixed: without it the parabola of f alone
  // would trade feasibility for descent. h = H - eta S1 + eta^2 S2.
  const Matrix<S>&g = this->g_[0], &d = direction[0];
  multiply_at<S>(x[0], g, multiplier_, S(0.5));
  symmetrize<S>(multiplier_);
  const auto dot = [](const Matrix<S>& a, const Matrix<S>& b) {
    return static_cast<double>(a.cwiseProduct(b).sum());
  };
  polynomial->has_objective = true;
  polynomial->objective = {0.0, -dot(g, d) + dot(this->rays_[0].s1, multiplier_),
                           0.5 * dot(d, v_) - dot(this->rays_[0].s2, multiplier_)};
  return polynomial;
}

template <class S>
void QuadraticOracle<S>::moved(std::optional<double> step_along_ray) {
  if (step_along_ray) this->g_[0] -= static_cast<S>(*step_along_ray) * v_;
  StiefelOracle<S>::moved(step_along_ray);
}

template class StiefelOracle<float>;
template class StiefelOracle<double>;
template class QuadraticOracle<float>;
template class QuadraticOracle<double>;

}  // namespace landfall
