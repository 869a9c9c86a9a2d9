// Bytes of .npy and IDX files, written without the library.
#pragma once

#include <landfall/linalg/random.hpp>
#include <landfall/linalg/types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace landfall::test {

/// The bytes of one number, least significant first or last.
template <class T>
std::string number_bytes(T value, bool big) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big != (std::endian::native == std::endian::big)) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// The numbers of a matrix, column by column or row by row.
template <class T, class S>
std::string array_bytes(const Matrix<S>& m, bool columns_first, bool big) {
  std::string bytes;
  const RowMatrix<S> rows = m;
  for (Index k = 0; k < m.size(); ++k)
    bytes += number_bytes(static_cast<T>(columns_first ? m.data()[k] : rows.data()[k]), big);
  return bytes;
}

/// An .npy file of format 1 to 3 with the given dictionary, byte for byte.
inline std::string npy_bytes(int version, const std::string& dictionary, const std::string& data) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(dictionary.size() >> (8 * i) & 255);
  return text + dictionary + data;
}

inline std::string npy_dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type,
                     fortran ? "True" : "False", shape);
}

template <class T>
std::string npy_file(const std::string& type, const Matrix<double>& m, bool fortran, bool big) {
  const std::string shape = fmt::format("({}, {})", m.rows(), m.cols());
  return npy_bytes(1, npy_dictionary((big ? ">" : "<") + type, fortran, shape),
                   array_bytes<T>(m, fortran, big));
}

/// An IDX header with these sizes.
inline std::string idx_header(int type, const std::vector<std::uint32_t>& sizes) {
  std::string text{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) text += number_bytes(size, true);
  return text;
}

template <class T>
std::string idx_file(int type, const Matrix<double>& m, const std::vector<std::uint32_t>& sizes) {
  return idx_header(type, sizes) + array_bytes<T>(m, false, true);
}

/// Whole numbers from smallest to 127, which every type of entry holds.
inline Matrix<double> whole_numbers(Index rows, Index cols, double smallest, std::uint64_t seed) {
  Matrix<double> m(rows, cols);
  for (Index k = 0; k < m.size(); ++k)
    m.data()[k] = std::floor(smallest + (128 - smallest) * uniform({seed, 1}, static_cast<std::uint64_t>(k)));
  return m;
}

}  // namespace landfall::test
