// NumPy's .npy files: vectors and matrices of real numbers, any byte order, rows or columns first. Whole
// here; by batches they are read through npy_source.hpp and written through writer.hpp.
//
//   landfall::write_npy<double>("X.npy", x);                             // numpy.load("X.npy")
//   landfall::Matrix<float> single = landfall::read_npy<float>("X.npy"); // converted to the scalar asked for
#pragma once

#include <landfall/data/io/file.hpp>
#include <landfall/data/rows/batch.hpp>
#include <landfall/linalg/types.hpp>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace landfall {

enum class NpyType { f4, f8, u1, i1, i2, i4, i8, f2, b1, u2, u4, u8 };
enum class NpyOrder { rows_first, columns_first };  // "C" and "Fortran"

/// "f4", "u1", ...
std::string_view npy_type_name(NpyType type);

/// Calls f with a value of the C++ type of the numbers in the file.
template <class F>
auto with_npy_type(NpyType type, F f) {
  switch (type) {
    case NpyType::f4:
      return f(float{});
    case NpyType::f8:
      return f(double{});
    case NpyType::u1:
      return f(std::uint8_t{});
    case NpyType::i1:
      return f(std::int8_t{});
    case NpyType::i2:
      return f(std::int16_t{});
    case NpyType::i4:
      return f(std::int32_t{});
    case NpyType::f2:
      return f(Eigen::half{});
    case NpyType::b1:
      return f(std::uint8_t{});
    case NpyType::u2:
      return f(std::uint16_t{});
    case NpyType::u4:
      return f(std::uint32_t{});
    case NpyType::u8:
      return f(std::uint64_t{});
    default:
      return f(std::int64_t{});
  }
}

/// What the header of an .npy file says, and where the numbers begin.
struct NpyHeader {
  NpyType type = NpyType::f8;
  std::endian byte_order = std::endian::little;
  NpyOrder order = NpyOrder::rows_first;
  std::vector<Index> shape;
  std::uint64_t offset = 0;  // of the first number in the file, in bytes

  Index item_size() const;  // bytes
  /// The array as a matrix: a vector of n numbers is n x 1.
  Index rows() const { return shape.at(0); }
  Index cols() const { return shape.size() > 1 ? shape[1] : 1; }
};

/// Reads formats 1 to 3. The file is exactly as long as the header promises, or DataError.
NpyHeader read_npy_header(const InputFile& file);
/// The same for a file that must hold a matrix or a vector, with at least one entry.
NpyHeader read_npy_matrix_header(const InputFile& file);

/// One or two dimensions, at least one entry. Nothing is allocated before the sizes are
/// known to be those of the file.
template <class S>
Matrix<S> read_npy(const InputFile& file);
template <class S>
Matrix<S> read_npy(const std::filesystem::path& path);

/// Format 1.0, rows first, f4 or f8 by the scalar: what every reader of .npy
/// knows. Appears whole or not at all.
template <class S>
void write_npy(const std::filesystem::path& path, In<S> matrix);
/// The same as a one-dimensional array.
template <class S>
void write_npy_vector(const std::filesystem::path& path, const Vector<S>& vector);

/// Appends batches to a file that appears on commit(), which fills in the number of rows. Sparse rows are
/// written with their zeros.
template <class S>
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& path, Index cols);

  void write(const Batch<S>& batch);
  void commit();

 private:
  std::string header(Index rows) const;

  AtomicFile file_;
  std::vector<S> row_;  // as many as columns
  Index rows_ = 0;
  std::size_t header_bytes_ = 0;  // room for any number of rows
};

#define LANDFALL_NPY(EXTERN, S)                                                             \
  EXTERN template Matrix<S> read_npy<S>(const InputFile&);                                  \
  EXTERN template Matrix<S> read_npy<S>(const std::filesystem::path&);                      \
  EXTERN template void write_npy<S>(const std::filesystem::path&, In<S>);                   \
  EXTERN template void write_npy_vector<S>(const std::filesystem::path&, const Vector<S>&); \
  EXTERN template class NpyWriter<S>;
LANDFALL_NPY(extern, float)
LANDFALL_NPY(extern, double)

}  // namespace landfall
