// Dense products, by BLAS. Everything Landfall multiplies goes through these, so that nothing is threaded,
// copied or allocated behind our back. OpenBLAS picks the widest vectors of the processor at run time.
//
//   landfall::Matrix<double> c(x.cols(), y.cols());
//   landfall::multiply_at<double>(x, y, c);              // c = x'y
//   landfall::multiply<double>(x, c, y, -1.0, 1.0);      // y = y - x c
#pragma once

#include <landfall/linalg/types.hpp>

#include <type_traits>

namespace landfall {

/// c = alpha a b + beta c.
template <class S>
void multiply(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha = 1,
              std::type_identity_t<S> beta = 0);

/// c = alpha a'b + beta c.
template <class S>
void multiply_at(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha = 1,
                 std::type_identity_t<S> beta = 0);

/// c = alpha a b' + beta c.
template <class S>
void multiply_bt(In<S> a, In<S> b, Out<S> c, std::type_identity_t<S> alpha = 1,
                 std::type_identity_t<S> beta = 0);

/// a b and a'b as new matrices, where nothing forbids allocating them.
template <class S>
Matrix<S> product(In<S> a, In<S> b) {
  Matrix<S> c(a.rows(), b.cols());
  multiply<S>(a, b, c);
  return c;
}
template <class S>
Matrix<S> product_at(In<S> a, In<S> b) {
  Matrix<S> c(a.cols(), b.cols());
  multiply_at<S>(a, b, c);
  return c;
}

/// c = a'a, both triangles: half the work of multiply_at.
template <class S>
void gram(In<S> a, Out<S> c);

#define LANDFALL_PRODUCTS(EXTERN, S)                               \
  EXTERN template void multiply<S>(In<S>, In<S>, Out<S>, S, S);    \
  EXTERN template void multiply_at<S>(In<S>, In<S>, Out<S>, S, S); \
  EXTERN template void multiply_bt<S>(In<S>, In<S>, Out<S>, S, S); \
  EXTERN template void gram<S>(In<S>, Out<S>);
LANDFALL_PRODUCTS(extern, float)
LANDFALL_PRODUCTS(extern, double)

}  // namespace landfall
