// What the inexact power methods share: products with a pencil, and (near) B^-1 R.
//
//   const landfall::Pencil<double> pencil{a, b};
//   const landfall::Matrix<double> ax = landfall::times<double>(*pencil.a, x);
//   landfall::Matrix<double> basis = landfall::best_of<double>(pencil, w, 5);    // Rayleigh-Ritz
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/linalg/pencil_eigen.hpp>

namespace landfall {

template <class S>
Matrix<S> times(const SymmetricOperator<S>& op, In<S> x) {
  Matrix<S> product(x.rows(), x.cols());
  op.apply(x, product);
  return product;
}

/// The p leading vectors of the pencil within the span of w.
template <class S>
Matrix<S> best_of(const Pencil<S>& pencil, In<S> w, Index p) {
  return w *
         solve_pencil<S>(w.transpose() * times<S>(*pencil.a, w), w.transpose() * times<S>(*pencil.b, w), p)
             .vectors;
}

}  // namespace landfall
