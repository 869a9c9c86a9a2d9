#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/gevp/pencil_scale.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
constexpr bool kSingle = std::is_same_v<S, float>;

template <class S>
S largest_entry(const SymmetricOperator<S>& m) {
  if (const auto* dense = dynamic_cast<const DenseOperator<S>*>(&m))
    return dense->matrix().cwiseAbs().maxCoeff();
  if (const auto* sparse = dynamic_cast<const SparseOperator<S>*>(&m)) {
    S largest = 0;
    for (Index j = 0; j < m.size(); ++j)
      for (typename Eigen::SparseMatrix<S>::InnerIterator entry(sparse->matrix(), j); entry; ++entry)
        largest = std::max(largest, std::abs(entry.value()));
    return largest;
  }
  const Matrix<S> x = gaussian<S>(m.size(), 1, {0x5ca1e, 0});
  Matrix<S> y(m.size(), 1);
  m.apply(x, y);
  return y.cwiseAbs().maxCoeff();
}

/// k with entries near 2^k, even; 0 where they may stay.
template <class S>
int exponent(const SymmetricOperator<S>& m) {
  const S largest = largest_entry(m);
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  const int k = std::ilogb(largest), usual = kSingle<S> ? 32 : 128;
  return std::abs(k) <= usual ? 0 : k / 2 * 2;
}

/// x 2^k, in two steps, since 2^k alone may overflow.
template <class S, class M>
M times_power(const M& x, int k) {
  const S half = std::ldexp(S(1), k / 2), rest = std::ldexp(S(1), k - k / 2);
  return M(M(x * half) * rest);
}

template <class S>
bool is_matrix(const SymmetricOperator<S>& m) {
  return dynamic_cast<const DenseOperator<S>*>(&m) != nullptr ||
         dynamic_cast<const SparseOperator<S>*>(&m) != nullptr;
}

/// D with ones, but for a factor of two, on the diagonal of D B D. Empty where that of B is even enough, or where one of
/// the operators is no matrix.
template <class S>
Vector<S> units_of(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b) {
  constexpr S kEven = 1 << 10;
  if (!is_matrix(a) || !is_matrix(b)) return {};
  const Vector<S> diagonal = b.diagonal();
  if (diagonal.size() == 0 || !diagonal.allFinite() || !(diagonal.minCoeff() > 0) ||
      diagonal.maxCoeff() / kEven <= diagonal.minCoeff())
    return {};
  return diagonal.unaryExpr([](S entry) { return std::ldexp(S(1), -(std::ilogb(entry) / 2)); });
}

template <class S>
OperatorPtr<S> in_units(OperatorPtr<S> m, const Vector<S>& units) {
  if (units.size() == 0) return m;
  if (const auto* dense = dynamic_cast<const DenseOperator<S>*>(m.get()))
    return std::make_shared<DenseOperator<S>>(
        Matrix<S>(units.asDiagonal() * dense->matrix() * units.asDiagonal()));
  const auto& sparse = dynamic_cast<const SparseOperator<S>&>(*m);
  Eigen::SparseMatrix<S> rows = units.asDiagonal() * sparse.matrix();
  return std::make_shared<SparseOperator<S>>(Eigen::SparseMatrix<S>(rows * units.asDiagonal()));
}

template <class S>
OperatorPtr<S> scaled(OperatorPtr<S> m, int k) {
  if (k == 0) return m;
  if (const auto* dense = dynamic_cast<const DenseOperator<S>*>(m.get()))
    return std::make_shared<DenseOperator<S>>(times_power<S, Matrix<S>>(dense->matrix(), -k));
  if (const auto* sparse = dynamic_cast<const SparseOperator<S>*>(m.get()))
    return std::make_shared<SparseOperator<S>>(times_power<S, Eigen::SparseMatrix<S>>(sparse->matrix(), -k));
  return std::make_shared<CallbackOperator<S>>(m->size(), [m, k](In<S> x, Out<S> y) {
    m->apply(x, y);
    y = times_power<S, Matrix<S>>(y, -k);
  });
}

}  // namespace

template <class S>
ScaledPencil<S>::ScaledPencil(OperatorPtr<S> a, OperatorPtr<S> b)
    : units_(units_of(*a, *b)),
      a_(in_units(std::move(a), units_)),
      b_(in_units(std::move(b), units_)),
      exponent_a_(exponent(*a_)),
      exponent_b_(exponent(*b_)) {
  a_ = scaled(a_, exponent_a_);
  b_ = scaled(b_, exponent_b_);
}

template <class S>
void ScaledPencil<S>::restore(Eigenpairs<S>& pairs) const {
  const int shift = exponent_a_ - exponent_b_;
  const S largest = pairs.values.cwiseAbs().maxCoeff();
  for (Index j = 0; j < pairs.values.size(); ++j) {
    S& value = pairs.values(j);
    const S scaled = value;
    value = std::ldexp(scaled, shift);
    const bool tiny = std::abs(value) < std::numeric_limits<S>::min() &&
                      std::abs(scaled) > std::numeric_limits<S>::epsilon() * largest;
    if (shift == 0 || (std::isfinite(value) && !tiny)) continue;
    const double digits = std::log10(static_cast<double>(std::abs(scaled))) + shift * std::log10(2.0);
    throw NumericalError(fmt::format(
        "eigenvalue {} is about {}1e{:+.0f}, too {} for {} precision; scale A or B", j + 1,
        scaled < 0 ? "-" : "", digits, tiny ? "small" : "large", kSingle<S> ? "single" : "double"));
  }
  if (exponent_b_ != 0) pairs.vectors = times_power<S, Matrix<S>>(pairs.vectors, -exponent_b_ / 2);
  if (units_.size() > 0) pairs.vectors = (units_.asDiagonal() * pairs.vectors).eval();
}

template class ScaledPencil<float>;
template class ScaledPencil<double>;

}  // namespace landfall
