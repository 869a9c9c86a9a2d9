// The best directions within given spans: Rayleigh and Ritz's small problem.
//
//   // One block: the leading eigenpairs of Z'AZ against Z'BZ. Two: the canonical pairs within both spans.
//   const landfall::Matrix<double> zbz = landfall::Matrix<double>::Identity(9, 9), zaz = zbz;
//   const auto ritz = landfall::solve_ritz({zbz}, zaz, 5, landfall::rank_tolerance<double>(9));
//   use(ritz.values, ritz.coefficients[0]);    // Z_k coefficients[k] is B-orthonormal
#pragma once

#include <landfall/errors.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/types.hpp>

#include <string>

namespace landfall {

/// A block spans fewer dimensions than were asked for.
struct LowRank : NumericalError {
  LowRank(const std::string& text, std::size_t block, Index found)
      : NumericalError(text), view(block), rank(found) {}
  std::size_t view;
  Index rank;
};

struct Ritz {
  std::vector<Matrix<double>> coefficients;  // of each block
  Vector<double> values;                     // descending
};

/// `cross` is Z'AZ for one block, Z_0'S_01 Z_1 for two. LowRank where a block has fewer than `count` independent
/// columns: directions of Z_k whose share of its metric is at most `tolerance` depend on the others.
Ritz solve_ritz(const std::vector<Matrix<double>>& metric, const Matrix<double>& cross, Index count,
                double tolerance);

}  // namespace landfall
