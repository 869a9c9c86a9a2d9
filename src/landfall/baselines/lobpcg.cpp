#include <landfall/baselines/lobpcg.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/pencil_eigen.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
constexpr S kTolerance = std::is_same_v<S, float> ? S(3e-5) : S(1e-8);
constexpr int kRefresh =
    25;  // iterations between fresh products with [X P], which are otherwise carried along

/// An operator divided by a power of four so that its products have entries near 1, whatever its scale.
/// Counts products and estimates its norm from them.
template <class S>
class Scaled {
 public:
  Scaled(const SymmetricOperator<S>& op, std::string_view name) : op_(op), name_(name) {}

  /// y = (A / 4^exponent) x. The columns of the first x must have length 1: they set the exponent.
  void apply(In<S> x, Out<S> y) {
    multiply_counted(x, y);
    if (!y.allFinite()) throw DataError(fmt::format("a product with {} has a NaN or infinite entry", name_));
    if (!exponent_known_) {
      const S largest = y.cwiseAbs().maxCoeff();
      exponent = largest > 0 ? std::ilogb(largest) / 2 : 0;
      exponent_known_ = true;
    }
    const S root = std::ldexp(S(1), -exponent);
    y *= root;
    y *= root;
    for (Index j = 0; j < x.cols(); ++j) {
      const S length = x.col(j).norm();
      if (length > 0) norm = std::max(norm, y.col(j).norm() / length);
    }
  }

  /// A itself, written out.
  Matrix<S> dense() {
    return to_dense<S>(
        CallbackOperator<S>(op_.size(), [this](In<S> x, Out<S> y) { multiply_counted(x, y); }));
  }

  Index products = 0;
  int exponent = 0;
  S norm = 0;  // largest ||A x|| / (4^exponent ||x||) seen

 private:
  void multiply_counted(In<S> x, Out<S> y) {
    op_.apply(x, y);
    ++products;
  }

  const SymmetricOperator<S>& op_;
  std::string_view name_;
  bool exponent_known_ = false;
};

/// S = [X P W] with A S and B S beside it. X and P are B-orthonormal; so is W once expand() is through.
template <class S>
class Lobpcg {
 public:
  Lobpcg(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b, const LobpcgOptions& options)
      : a_(a, "A"),
        b_(b, "B"),
        options_(options),
        tolerance_(options.tolerance > 0 ? static_cast<S>(options.tolerance) : kTolerance<S>),
        n_(a.size()),
        p_(options.components),
        basis_(n_, 3 * p_),
        a_basis_(n_, 3 * p_),
        b_basis_(n_, 3 * p_),
        scratch_(n_, 2 * p_) {}

  LobpcgResult<S> solve_directly() {
    start(solve_pencil<S>(a_.dense(), b_.dense(), p_, options_.smallest).vectors);
    measure();
    return result(LobpcgEnd::direct);
  }

  LobpcgResult<S> solve(Matrix<S> x0, PreconditionerPtr<S> preconditioner) {
    preconditioner_ = std::move(preconditioner);
    start(std::move(x0));
    for (;; ++iterations_) {
      measure();
      if (worst() <= tolerance_ && !fresh_) {  // believed only on fresh products
        refresh();
        rotate();
        measure();
      }
      keep_best();
      if (worst() <= tolerance_) return finish(LobpcgEnd::converged);
      if (options_.observer && !options_.observer(iterations_, static_cast<double>(worst())))
        return finish(LobpcgEnd::stopped);
      if (iterations_ >= options_.max_iterations) return finish(LobpcgEnd::max_iterations);
      if (!expand()) return finish(LobpcgEnd::stagnated);
      rayleigh_ritz();
      if ((iterations_ + 1) % kRefresh == 0) refresh();
    }
  }

 private:
  auto x() { return basis_.leftCols(p_); }
  Index kept() const { return p_ + directions_; }  // columns of [X P]
  S worst() const { return residuals_.maxCoeff(); }

  /// The columns [first, first + factor.rows()) of S, A S and B S times a factor.
  void combine(Index first, const Matrix<S>& factor) {
    for (Matrix<S>* block : {&basis_, &a_basis_, &b_basis_}) combine(*block, first, factor);
  }
  void combine(Matrix<S>& block, Index first, const Matrix<S>& factor) {
    auto result = scratch_.leftCols(factor.cols());
    multiply<S>(block.middleCols(first, factor.rows()), factor, result);
    block.middleCols(first, factor.cols()) = result;
  }

  void start(Matrix<S> x0) {
    for (Index j = 0; j < p_; ++j) x0.col(j).stableNormalize();
    x() = x0;
    refresh();
    small_.resize(p_, p_);
    for (int pass = 0; pass < 2; ++pass) {
      multiply_at<S>(x(), b_basis_.leftCols(p_), small_);
      const Matrix<S> factor = orthonormalizing_factor<S>(small_);
      if (factor.cols() < p_)
        throw NumericalError(fmt::format("LOBPCG starts from {} columns whose rank in the metric of B is {}",
                                         p_, factor.cols()));
      combine(0, factor);
    }
    rotate();
  }

  /// Rayleigh-Ritz within the span of X.
  void rotate() {
    project(p_);
    const auto ritz = solve_pencil<S>(projected_a_, projected_b_, p_, options_.smallest);
    values_ = ritz.values;
    combine(0, ritz.vectors);
  }

  /// S'AS and S'BS for the first m columns of S.
  void project(Index m) {
    projected_a_.resize(m, m);
    projected_b_.resize(m, m);
    multiply_at<S>(basis_.leftCols(m), a_basis_.leftCols(m), projected_a_);
    multiply_at<S>(basis_.leftCols(m), b_basis_.leftCols(m), projected_b_);
    symmetrize<S>(projected_a_);
    symmetrize<S>(projected_b_);
  }

  void refresh() {
    a_.apply(basis_.leftCols(kept()), a_basis_.leftCols(kept()));
    b_.apply(basis_.leftCols(kept()), b_basis_.leftCols(kept()));
    fresh_ = true;
  }

  /// A X - B X Theta into scratch, and its relative norms.
  void measure() {
    auto residual = scratch_.leftCols(p_);
    residual = a_basis_.leftCols(p_) - b_basis_.leftCols(p_) * values_.asDiagonal();
    ratios_.resize(p_);
    for (Index j = 0; j < p_; ++j) ratios_(j) = residual.col(j).norm() / x().col(j).norm();
    residuals_ = relative(ratios_, values_);
  }

  /// ||A x - lambda B x|| / ||x|| over ||A|| + |lambda| ||B||, by the norms known now.
  Vector<S> relative(const Vector<S>& ratios, const Vector<S>& values) const {
    Vector<S> result(p_);
    for (Index j = 0; j < p_; ++j) {
      const S scale = a_.norm + std::abs(values(j)) * b_.norm;
      result(j) = scale > 0 ? ratios(j) / scale : S(0);
    }
    return result;
  }

  void keep_best() {
    if (best_.size() > 0 && !(worst() < relative(best_ratios_, best_values_).maxCoeff())) return;
    best_ = x();
    best_ratios_ = ratios_;
    best_values_ = values_;
  }

  /// W = T (A X - B X Theta) for the columns that have not converged, made B-orthonormal and B-orthogonal to
  /// [X P]. Converged columns stay in the basis but get no new direction (soft locking). False when no
  /// direction is left.
  bool expand() {
    active_.clear();
    for (Index j = 0; j < p_; ++j)
      if (residuals_(j) > tolerance_) active_.push_back(j);
    Index w = static_cast<Index>(active_.size());
    for (Index i = 0; i < w; ++i) {  // active columns lie at or right of their new places
      auto column = scratch_.col(i);
      column = scratch_.col(active_[static_cast<std::size_t>(i)]).eval();
      column.normalize();
    }
    preconditioner_->apply(scratch_.leftCols(w), basis_.middleCols(kept(), w));

    // Before the products: W against [X P] by the carried B [X P], then a well-conditioned basis of what is
    // left.
    for (int pass = 0; pass < 2 && w > 0; ++pass) {
      auto fresh = basis_.middleCols(kept(), w);
      for (Index j = 0; j < w; ++j) fresh.col(j).stableNormalize();
      small_.resize(kept(), w);
      multiply_at<S>(b_basis_.leftCols(kept()), fresh, small_);
      multiply<S>(basis_.leftCols(kept()), small_, fresh, -1, 1);
      small_.resize(w, w);
      gram<S>(fresh, small_);
      const Matrix<S> factor = orthonormalizing_factor<S>(small_, column_tolerance<S>(w));
      combine(basis_, kept(), factor);
      w = factor.cols();
    }
    if (w == 0) return false;
    a_.apply(basis_.middleCols(kept(), w), a_basis_.middleCols(kept(), w));
    b_.apply(basis_.middleCols(kept(), w), b_basis_.middleCols(kept(), w));

    // With B W at hand, the same again in all three.
    small_.resize(kept(), w);
    multiply_at<S>(basis_.leftCols(kept()), b_basis_.middleCols(kept(), w), small_);
    for (Matrix<S>* block : {&basis_, &a_basis_, &b_basis_})
      multiply<S>(block->leftCols(kept()), small_, block->middleCols(kept(), w), -1, 1);
    small_.resize(w, w);
    multiply_at<S>(basis_.middleCols(kept(), w), b_basis_.middleCols(kept(), w), small_);
    symmetrize<S>(small_);
    const Matrix<S> factor = orthonormalizing_factor<S>(small_, column_tolerance<S>(w));
    combine(kept(), factor);
    width_ = factor.cols();
    return width_ > 0;
  }

  /// The pencil on S = [X P W]: X <- S C, and P <- the part of the new X outside the old one, made
  /// B-orthonormal and B-orthogonal to the new X by its coefficients alone.
  void rayleigh_ritz() {
    const Index m = kept() + width_;
    project(m);
    const auto ritz = solve_pencil<S>(projected_a_, projected_b_, p_, options_.smallest);
    values_ = ritz.values;

    const Index moving = static_cast<Index>(active_.size());
    Matrix<S> z(m, moving);
    for (Index i = 0; i < moving; ++i) z.col(i) = ritz.vectors.col(active_[static_cast<std::size_t>(i)]);
    z.topRows(p_).setZero();
    Matrix<S> gz, overlap;
    for (int pass = 0; pass < 2 && z.cols() > 0; ++pass) {
      for (Index i = 0; i < z.cols(); ++i) z.col(i).stableNormalize();
      gz.resize(m, z.cols());
      overlap.resize(p_, z.cols());
      multiply<S>(projected_b_, z, gz);
      multiply_at<S>(ritz.vectors, gz, overlap);
      multiply<S>(ritz.vectors, overlap, z, -1, 1);
      multiply<S>(projected_b_, z, gz);
      overlap.resize(z.cols(), z.cols());
      multiply_at<S>(z, gz, overlap);
      symmetrize<S>(overlap);
      const Matrix<S> factor = orthonormalizing_factor<S>(overlap, column_tolerance<S>(z.cols()));
      Matrix<S> independent(m, factor.cols());
      multiply<S>(z, factor, independent);
      z = std::move(independent);
    }
    directions_ = z.cols();

    Matrix<S> coefficients(m, kept());
    coefficients << ritz.vectors, z;
    combine(0, coefficients);
    fresh_ = false;
  }

  /// Ends at the best iterate, measured with fresh products.
  LobpcgResult<S> finish(LobpcgEnd end) {
    if (end != LobpcgEnd::converged) {
      x() = best_;
      directions_ = 0;
      refresh();
      rotate();
      measure();
    }
    return result(end);
  }

  LobpcgResult<S> result(LobpcgEnd end) {
    const auto unscale = [this](S value) { return std::ldexp(value, 2 * (a_.exponent - b_.exponent)); };
    return {.values = values_.unaryExpr(unscale),
            .vectors = x() * std::ldexp(S(1), -b_.exponent),
            .residuals = residuals_,
            .iterations = iterations_,
            .products_a = a_.products,
            .products_b = b_.products,
            .end = end};
  }

  Scaled<S> a_, b_;
  const LobpcgOptions& options_;
  PreconditionerPtr<S> preconditioner_;
  S tolerance_;
  Index n_, p_;
  Index directions_ = 0, width_ = 0;  // columns of P and of W
  int iterations_ = 0;
  bool fresh_ = false;  // A X and B X are products, not combinations
  Matrix<S> basis_, a_basis_, b_basis_, scratch_;
  Matrix<S> projected_a_, projected_b_, small_;
  Vector<S> values_, ratios_, residuals_;
  std::vector<Index> active_;
  Matrix<S> best_;
  Vector<S> best_ratios_, best_values_;
};

template <class S>
PreconditionerPtr<S> default_preconditioner(const SymmetricOperator<S>& b) {
  const Vector<S> diagonal = b.diagonal();
  if (diagonal.size() == 0) return std::make_shared<IdentityPreconditioner<S>>(b.size());
  Index at = 0;
  const S least = diagonal.minCoeff(&at);
  if (!(least > 0))
    throw DataError(fmt::format("B is not positive definite: its diagonal entry {} is {:.3g}", at, least));
  // Only ratios matter, and the inverse of a tiny entry must not overflow.
  return std::make_shared<DiagonalPreconditioner<S>>((diagonal / diagonal.maxCoeff()).cwiseInverse());
}

void validate(const LobpcgOptions& options, Index a, Index b, Index t, Shape x0) {
  if (a != b) throw UsageError(fmt::format("LOBPCG: A has size {} and B has size {}", a, b));
  const Index p = options.components;
  if (p < 1 || p > a) throw UsageError(fmt::format("LOBPCG: components is {}, expected 1 to {}", p, a));
  if (!(options.tolerance >= 0 && options.tolerance < 1))
    throw UsageError(
        fmt::format("LOBPCG: tolerance is {}, expected at least 0 and below 1", options.tolerance));
  if (options.max_iterations < 0)
    throw UsageError(
        fmt::format("LOBPCG: max_iterations is {}, expected at least 0", options.max_iterations));
  if (t != a) throw UsageError(fmt::format("LOBPCG: the preconditioner has size {}, expected {}", t, a));
  if (x0 != Shape{a, p})
    throw UsageError(fmt::format("LOBPCG: x0 is {}x{}, expected {}x{}", x0.rows, x0.cols, a, p));
}

}  // namespace

template <class S>
LobpcgResult<S> lobpcg(const SymmetricOperator<S>& a, const SymmetricOperator<S>& b,
                       const LobpcgOptions& options, PreconditionerPtr<S> preconditioner, Matrix<S> x0) {
  const Index n = a.size(), p = options.components;
  validate(options, n, b.size(), preconditioner ? preconditioner->size() : n,
           x0.size() > 0 ? Shape{x0.rows(), x0.cols()} : Shape{n, p});
  if (!x0.allFinite()) throw DataError("LOBPCG: x0 has a NaN or infinite entry");
  Lobpcg<S> method(a, b, options);
  if (5 * p > n) return method.solve_directly();
  if (x0.size() == 0) x0 = gaussian<S>(n, p, Stream{options.seed, 0x10b9});
  return method.solve(std::move(x0), preconditioner ? std::move(preconditioner) : default_preconditioner(b));
}

LANDFALL_LOBPCG(, float)
LANDFALL_LOBPCG(, double)

}  // namespace landfall
