// Small hostile problems: each seed is one. What makes them hostile is drawn too, so that each kind occurs alone and with
// others: columns of scales 1e-12 to 1e12, condition numbers up to 1e12, dependent, equal and constant columns, equal rows,
// two rows and more, heavy tails, means far from zero.
#pragma once

#include <landfall/linalg/types.hpp>

#include <cmath>
#include <random>
#include <string>

#include <Eigen/QR>

namespace landfall::torture {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15U + 1) {}
  double normal() { return std::normal_distribution<double>()(engine_); }
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(engine_); }
  Index whole(Index from, Index to) { return std::uniform_int_distribution<Index>(from, to)(engine_); }
  bool chance(double share) { return uniform(0, 1) < share; }
  /// Few small numbers of rows, many larger ones.
  Index rows() { return chance(0.15) ? whole(2, 8) : chance(0.3) ? whole(8, 40) : whole(40, 400); }
  Matrix<double> normals(Index rows, Index cols) {
    Matrix<double> m(rows, cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) m(i, j) = normal();
    return m;
  }
  /// Orthonormal, n x n.
  Matrix<double> rotation(Index n) {
    return Eigen::HouseholderQR<Matrix<double>>(normals(n, n)).householderQ();
  }
  /// Singular values from 1 down to 1 / condition, evenly in the exponent.
  Vector<double> spectrum(Index n, double condition) {
    Vector<double> values(n);
    for (Index i = 0; i < n; ++i)
      values(i) =
          std::pow(condition, -static_cast<double>(i) / static_cast<double>(std::max<Index>(1, n - 1)));
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

/// Turns well-behaved rows into a hostile view of them; says how in `told`.
inline Matrix<double> hostile_view(Draw& draw, Matrix<double> rows, std::string& told) {
  const Index n = rows.cols(), count = rows.rows();
  if (draw.chance(0.25)) {
    const double power = draw.uniform(0, 12);
    rows = rows * draw.rotation(n) * draw.spectrum(n, std::pow(10, power)).asDiagonal() * draw.rotation(n);
    told += " condition 1e" + std::to_string(static_cast<int>(power));
  }
  if (draw.chance(0.1)) {
    for (Index i = 0; i < count; ++i) rows.row(i) *= std::tan(draw.uniform(-1.57, 1.57));
    told += " heavy";
  }
  if (draw.chance(0.1) && n > 1) {
    rows.col(n - 1) = rows.col(0);
    told += " equal-columns";
  }
  if (draw.chance(0.1) && n > 2) {
    rows.col(1) = rows.leftCols(1) - rows.rightCols(1);
    told += " dependent";
  }
  if (draw.chance(0.05)) {
    rows.col(0).setConstant(3.7);
    told += " constant";
  }
  if (draw.chance(0.1)) {
    for (Index i = 0; i < count / 2; ++i) rows.row(count - 1 - i) = rows.row(i);
    told += " equal-rows";
  }
  if (draw.chance(0.1)) {
    rows = rows.array().round();
    told += " whole";
  }
  if (draw.chance(0.15)) {
    rows.rowwise() += Eigen::RowVectorXd(draw.normals(1, n) * std::pow(10, draw.uniform(0, 5)));
    told += " far";
  }
  if (draw.chance(0.4)) {
    const bool one = draw.chance(0.4);
    const double power = draw.uniform(-12, 12);
    for (Index j = 0; j < n; ++j) rows.col(j) *= std::pow(10, one ? power : draw.uniform(-12, 12));
    told += one ? " scale 1e" + std::to_string(static_cast<int>(power)) : " scales";
  }
  return rows;
}

}  // namespace landfall::torture
