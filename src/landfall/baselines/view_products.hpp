// The second moments of two views as products: (S_ii + ridge_i I) X_i and S_ij X_j, from matrices that are
// held or by a pass over the stream. And CCA as a pencil: A = [0 S_xy; S_yx 0], B = diag(S_xx + ridge I,
// S_yy + ridge I), whose largest eigenvalues are the canonical correlations.
//
//   auto views = std::make_shared<landfall::StreamProducts<float>>(stream, std::array{1e-3, 1e-3});
//   landfall::Point<float> xy, within, cross;
//   views->multiply(xy, &within, &cross);                 // one reading
//   const auto pencil = landfall::view_pencil<float>(views);
//   use(pencil.a->size(), pencil.b->size());              // the columns of both
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/scratch.hpp>

#include <array>
#include <memory>

namespace landfall {

template <class S>
class ViewProducts {
 public:
  virtual ~ViewProducts() = default;

  std::array<Index, 2> features() const { return features_; }

  /// within_i = (S_ii + ridge_i I) x_i and cross_i = S_ij x_j, j the other view; what is null is not wanted.
  /// A block of x without columns is left out.
  void multiply(const Point<S>& x, Point<S>* within, Point<S>* cross) const;

  /// The diagonals of S_ii + ridge_i I, one after the other; empty where they are not known.
  virtual Vector<S> diagonal() const { return {}; }

  /// Readings of the data so far.
  virtual double passes() const = 0;

 protected:
  explicit ViewProducts(std::array<Index, 2> features) : features_(features) {}
  virtual void multiply_impl(const Point<S>& x, Point<S>* within, Point<S>* cross) const = 0;

 private:
  std::array<Index, 2> features_;
};

/// By covariances that were formed in one pass: n^2 memory.
template <class S>
class HeldProducts final : public ViewProducts<S> {
 public:
  /// `within` has the ridges already.
  HeldProducts(std::vector<Matrix<S>> within, Matrix<S> cross);
  Vector<S> diagonal() const override;
  double passes() const override { return 1; }

 protected:
  void multiply_impl(const Point<S>& x, Point<S>* within, Point<S>* cross) const override;

 private:
  std::vector<Matrix<S>> within_;
  Matrix<S> cross_;
};

/// One pass over the training rows for every product.
template <class S>
class StreamProducts final : public ViewProducts<S> {
 public:
  StreamProducts(DataStream<S>& stream, std::array<double, 2> ridge);
  double passes() const override { return passes_; }

 protected:
  void multiply_impl(const Point<S>& x, Point<S>* within, Point<S>* cross) const override;

 private:
  DataStream<S>& stream_;
  std::array<S, 2> ridge_;
  mutable std::array<Scratch<S>, 2> scores_;
  mutable double passes_ = 0;
};

/// A x = lambda B x.
template <class S>
struct Pencil {
  OperatorPtr<S> a, b;
};

/// Of W = [X; Y], without a copy of what the products hold.
template <class S>
Pencil<S> view_pencil(std::shared_ptr<const ViewProducts<S>> views);

#define LANDFALL_VIEW_PRODUCTS(EXTERN, S)  \
  EXTERN template class ViewProducts<S>;   \
  EXTERN template class HeldProducts<S>;   \
  EXTERN template class StreamProducts<S>; \
  EXTERN template Pencil<S> view_pencil<S>(std::shared_ptr<const ViewProducts<S>>);
LANDFALL_VIEW_PRODUCTS(extern, float)
LANDFALL_VIEW_PRODUCTS(extern, double)

}  // namespace landfall
