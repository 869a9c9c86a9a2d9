#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/manifold/field.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

constexpr std::array<std::string_view, 4> direction_names{"metric", "riemannian", "euclidean",
                                                          "preconditioned"};
constexpr std::array<std::string_view, 2> normal_names{"gradient", "newton"};

template <class E, std::size_t N>
E parse(std::string_view what, std::string_view name, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<E>(i);
  throw UsageError(fmt::format("unknown {} '{}': choose one of {}", what, name, fmt::join(names, ", ")));
}

/// H = sym(X'Y) - I. B is symmetric, so is X'BX; symmetrising removes rounding only.
template <class S>
void constraint_residual(In<S> x, In<S> y, Matrix<S>& h) {
  h.resize(x.cols(), x.cols());
  multiply_at<S>(x, y, h);
  symmetrize<S>(h);
  h.diagonal().array() -= S(1);
}

}  // namespace

std::string_view to_string(Direction direction) {
  return direction_names.at(static_cast<std::size_t>(direction));
}
std::string_view to_string(Normal normal) {
  return normal_names.at(static_cast<std::size_t>(normal));
}
Direction parse_direction(std::string_view name) {
  return parse<Direction>("direction", name, direction_names);
}
Normal parse_normal(std::string_view name) {
  return parse<Normal>("normal term", name, normal_names);
}

template <class S>
StiefelField<S>::StiefelField(FieldOptions<S> options) : options_(std::move(options)) {
  if (options_.preconditioner) return;
  if (options_.direction == Direction::preconditioned)
    throw UsageError("direction 'preconditioned' needs a preconditioner K");
  if (options_.direction == Direction::riemannian)
    throw UsageError("direction 'riemannian' needs the inverse of B as a preconditioner");
}

template <class S>
void StiefelField<S>::check(In<S> x, In<S> g, In<S> y1, In<S> y2, In<S> lambda) const {
  const auto fits = [&](In<S> m) { return m.rows() == x.rows() && m.cols() == x.cols(); };
  if (!fits(g) || !fits(y1) || !fits(y2) || !fits(lambda))
    throw UsageError(
        fmt::format("landing field: X is {}x{}, G {}x{}, Y1 {}x{}, Y2 {}x{}, Lambda {}x{}; all must be equal",
                    x.rows(), x.cols(), g.rows(), g.cols(), y1.rows(), y1.cols(), y2.rows(), y2.cols(),
                    lambda.rows(), lambda.cols()));
  const bool one_draw_only =
      options_.direction == Direction::riemannian || options_.direction == Direction::euclidean;
  if (one_draw_only && y1.data() != y2.data())
    throw UsageError(fmt::format("direction '{}' has no unbiased estimate from two draws of B X; pass one",
                                 to_string(options_.direction)));
}

template <class S>
void StiefelField<S>::operator()(In<S> x, In<S> g, In<S> y1, In<S> y2, S omega, Out<S> lambda) {
  check(x, g, y1, y2, lambda);
  measure(x, y1);

  // 2 omega Y H joins the factor to the right of Y where Psi has one, so that it costs no product.
  merged_ = omega != 0 && options_.normal == Normal::gradient && y1.data() == y2.data() &&
            (options_.direction == Direction::metric || options_.direction == Direction::euclidean);
  twice_omega_ = merged_ ? 2 * omega : S(0);
  switch (options_.direction) {
    case Direction::metric:
      metric(g, y1, y2, lambda);
      break;
    case Direction::riemannian:
      riemannian(x, g, lambda);
      break;
    case Direction::euclidean:
      euclidean(g, y1, lambda);
      break;
    case Direction::preconditioned:
      preconditioned(g, y1, y2, lambda);
      break;
  }
  lambda_norm_ = lambda.norm();
  if (omega != 0 && !merged_) add_normal(x, y2, omega, lambda);
}

template <class S>
S StiefelField<S>::normal_norm() const {
  if (!merged_) return normal_norm_;
  // ||2 Y H||^2 = 4 <C, H'H>
  scratch_.resize(h_.rows(), h_.cols());
  gram<S>(h_, scratch_);
  return 2 * std::sqrt(std::max(S(0), c_.cwiseProduct(scratch_).sum()));
}

template <class S>
S StiefelField<S>::tangent_norm() const {
  if (!merged_) return lambda_norm_;
  // Psi is orthogonal to Y H: ||Psi||^2 = ||Lambda||^2 - omega^2 ||2 Y H||^2
  const S part = twice_omega_ / 2 * normal_norm() / std::max(lambda_norm_, std::numeric_limits<S>::min());
  return lambda_norm_ * std::sqrt(std::max(S(0), 1 - part * part));
}

template <class S>
void StiefelField<S>::measure(In<S> x, In<S> y) {
  constraint_residual<S>(x, y, h_);
}

template <class S>
void StiefelField<S>::add_normal(In<S> x, In<S> y2, S omega, Out<S> lambda) {
  normal_.resize(x.rows(), x.cols());
  multiply<S>(options_.normal == Normal::gradient ? y2 : x, h_, normal_, 2);
  normal_norm_ = normal_.norm();
  lambda += omega * normal_;
}

template <class S>
void StiefelField<S>::metric(In<S> g, In<S> y1, In<S> y2, Out<S> lambda) {
  // One draw: Lambda = G C - Y (G'Y - 2 omega H).  Two: Psi = G (Y1'Y2) - Y1 (G'Y2).
  const Index p = g.cols();
  c_.resize(p, p);
  w_.resize(p, p);
  if (y1.data() == y2.data())
    gram<S>(y1, c_);
  else
    multiply_at<S>(y1, y2, c_);
  multiply_at<S>(g, y2, w_);
  w_ -= twice_omega_ * h_;
  tangent_scale_ = g.norm() * c_.norm();
  multiply<S>(g, c_, lambda);
  multiply<S>(y1, w_, lambda, -1, 1);
}

template <class S>
void StiefelField<S>::riemannian(In<S> x, In<S> g, Out<S> lambda) {
  // Psi_R = (B^-1 G) P - X (G'X)
  const Index p = g.cols();
  kg_.resize(g.rows(), p);
  c_ = h_;
  c_.diagonal().array() += S(1);
  w_.resize(p, p);
  options_.preconditioner->apply(g, kg_);
  multiply_at<S>(g, x, w_);
  tangent_scale_ = kg_.norm() * c_.norm();
  multiply<S>(kg_, c_, lambda);
  multiply<S>(x, w_, lambda, -1, 1);
}

template <class S>
void StiefelField<S>::euclidean(In<S> g, In<S> y, Out<S> lambda) {
  // Lambda = G - Y (L - 2 omega H), C L + L C = Y'G + G'Y; the multiplier is L/2.
  w_ = 2 * lyapunov_.compute(y, g) - twice_omega_ * h_;
  c_ = lyapunov_.gram();
  tangent_scale_ = g.norm();
  lambda = g;
  multiply<S>(y, w_, lambda, -1, 1);
}

template <class S>
void StiefelField<S>::preconditioned(In<S> g, In<S> y1, In<S> y2, Out<S> lambda) {
  // Psi_K = (K G)(Y1'K Y2) - (K Y1)(G'K Y2)
  const Index n = g.rows(), p = g.cols();
  const bool one_draw = y1.data() == y2.data();
  kg_.resize(n, p);
  ky2_.resize(n, p);
  c_.resize(p, p);
  w_.resize(p, p);
  options_.preconditioner->apply(g, kg_);
  options_.preconditioner->apply(y2, ky2_);
  multiply_at<S>(y1, ky2_, c_);
  multiply_at<S>(g, ky2_, w_);
  tangent_scale_ = kg_.norm() * c_.norm();
  multiply<S>(kg_, c_, lambda);
  if (one_draw) {
    multiply<S>(ky2_, w_, lambda, -1, 1);
  } else {
    ky1_.resize(n, p);
    options_.preconditioner->apply(y1, ky1_);
    multiply<S>(ky1_, w_, lambda, -1, 1);
  }
}

template <class S>
Matrix<S> tangent_direction(const FieldOptions<S>& options, In<S> x, In<S> g, In<S> y) {
  Matrix<S> psi(x.rows(), x.cols());
  StiefelField<S> field(options);
  field(x, g, y, y, 0, psi);
  return psi;
}

template <class S>
Matrix<S> normal_term(Normal normal, In<S> x, In<S> y) {
  Matrix<S> h, term(x.rows(), x.cols());
  constraint_residual<S>(x, y, h);
  multiply<S>(normal == Normal::gradient ? y : x, h, term, 2);
  return term;
}

LANDFALL_FIELD(, float)
LANDFALL_FIELD(, double)

}  // namespace landfall
