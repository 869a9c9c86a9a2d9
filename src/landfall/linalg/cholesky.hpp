// L L' of a well-conditioned matrix, for its inverse, the root of that, and x'M^-1 x.
//
//   landfall::Matrix<double> m = landfall::Matrix<double>::Identity(5, 5), x = m;
//   if (const auto factor = landfall::Cholesky<double>::of(m, 1e-8)) {
//     factor->solve_lower(x);                                            // x <- L^-1 x
//     factor->solve_upper(x);                                            // x <- L^-T x: now M^-1 x
//     use(factor->inverse());
//   }
#pragma once

#include <landfall/linalg/types.hpp>

#include <optional>

namespace landfall {

template <class S>
class Cholesky {
 public:
  /// Of a matrix with a diagonal near 1, whose lower triangle is read. None where a pivot, in the given order, is at most `least`.
  static std::optional<Cholesky> of(Matrix<S> m, S least);

  void solve_lower(Out<S> x) const;
  void solve_upper(Out<S> x) const;
  Matrix<S> inverse() const;

 private:
  explicit Cholesky(Matrix<S> factor) : factor_(std::move(factor)) {}
  Matrix<S> factor_;
};

extern template class Cholesky<float>;
extern template class Cholesky<double>;

}  // namespace landfall
