// ICA of whitened rows in memory, iterated to convergence: the rotation W of y = z W for which
// f = sum_j s_j E g(y_j) is stationary, s_j the sign that the source asks for (components.hpp).
//
//   const landfall::Matrix<double> white;    // one row per sample, E z z' = I
//   const auto found = landfall::iterate_to_convergence(white, {.contrast = landfall::Contrast::logcosh});
//   use(found.rotation, found.moments.value, found.converged);
//
// A few steps of FastICA (Hyvarinen 1999) from several random starts, of which the one with the largest
// negentropy goes on; small problems go on from each of eight starts, and the best end is taken. FastICA has no objective that it lowers, and on data that are no mixture of independent
// sources it may circle for ever. So the rest are quasi-Newton steps that lower f (Picard-O, Ablin, Cardoso and
// Gramfort 2018): L-BFGS from the second derivatives of independent sources, s_i c_i + s_j c_j for the
// rotation of y_i into y_j, until the step turns no component by more than the tolerance.
#pragma once

#include <landfall/models/ica/components.hpp>
#include <landfall/parallel/cancel.hpp>

#include <functional>

namespace landfall {

struct FixedPointOptions {
  Contrast contrast = Contrast::logcosh;
  Vector<double> roots = {};  // of the weights of rows, by which these have been multiplied; empty: none have
  Matrix<double> start = {};  // a rotation that is tried beside random ones
  int starts = 0;             // 0: as many as the size of the problem allows
  int most_iterations = 200;
  double tolerance = 1e-6;  // of the largest angle of a Newton step
  std::uint64_t seed = 0;
  std::function<bool(const Progress&, const Matrix<double>& rotation)> observer = {};  // false: the end
  CancelFlag cancel = {};
};

struct FixedPoint {
  Matrix<double> rotation;
  ComponentMoments moments;  // of y = z W over all rows; mixing is E z y'
  double turn = 0;           // the largest angle of the next Newton step
  bool converged = false, stopped = false;
  double passes = 0;  // over the rows
  std::vector<Progress> history;
};

FixedPoint iterate_to_convergence(const Matrix<double>& z, const FixedPointOptions& options);

/// The p with the largest negentropy, and their columns of x.
ComponentMoments best_components(const ComponentMoments& all, Contrast contrast, Index p, Matrix<double>& x);

}  // namespace landfall
