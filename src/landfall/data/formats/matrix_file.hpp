// A matrix from a file, whatever its type, checked: every entry is finite, and it is symmetric where the
// problem needs it. Messages count rows and columns from 1.
//
//   auto x = landfall::load_matrix<float>("X.npy");        // .npy or Matrix Market, dense or sparse
//   auto b = landfall::load_symmetric<double>("B.mtx");    // "B.mtx: 3x4, expected a square matrix"
#pragma once

#include <landfall/data/formats/matrix_market.hpp>

#include <filesystem>

namespace landfall {

/// The type is known by the content, not the name. Every entry is finite, or DataError names the place.
template <class S>
MatrixFile<S> load_matrix(const std::filesystem::path& path);

/// Also square, and symmetric up to 100 rounding errors of its largest entry, which are averaged away.
template <class S>
MatrixFile<S> load_symmetric(const std::filesystem::path& path);

#define LANDFALL_MATRIX_FILE(EXTERN, S)                                       \
  EXTERN template MatrixFile<S> load_matrix<S>(const std::filesystem::path&); \
  EXTERN template MatrixFile<S> load_symmetric<S>(const std::filesystem::path&);
LANDFALL_MATRIX_FILE(extern, float)
LANDFALL_MATRIX_FILE(extern, double)

}  // namespace landfall
