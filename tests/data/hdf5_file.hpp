// HDF5 files for the tests, written by the C library itself.
#pragma once

#include <landfall/linalg/types.hpp>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <hdf5.h>

namespace landfall::test {

struct Hdf5Layout {
  bool big = false;
  hsize_t chunk_rows = 0, chunk_cols = 0;  // 0: contiguous
  int deflate = 0;                         // level
  bool others = false;                     // shuffle before it, fletcher32 after it
  H5Z_filter_t filter = 0;                 // another one
  bool vector = false;                     // one dimension
};

template <class T>
hid_t hdf5_native() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  constexpr bool sign = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return sign ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
  if constexpr (sizeof(T) == 2) return sign ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
  if constexpr (sizeof(T) == 4) return sign ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
  return sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

/// The file, made if it is not there.
inline hid_t hdf5_file(const std::filesystem::path& path) {
  const hid_t file = std::filesystem::exists(path)
                         ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                         : H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) throw std::runtime_error("no HDF5 file");
  return file;
}

/// Adds a dataset, and the groups on the way to it; of the sizes, but with numbers only if there are some.
inline void add_hdf5(const std::filesystem::path& path, const std::string& name, hid_t native,
                     const std::vector<hsize_t>& sizes, const void* numbers, const Hdf5Layout& layout = {}) {
  const hid_t file = hdf5_file(path), type = H5Tcopy(native);
  const int dimensions = static_cast<int>(sizes.size());
  if (layout.big) H5Tset_order(type, H5T_ORDER_BE);
  const hid_t space = H5Screate_simple(dimensions, sizes.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  const std::array<hsize_t, 2> chunk = {layout.chunk_rows, layout.chunk_cols};
  if (layout.chunk_rows > 0) H5Pset_chunk(creation, dimensions, chunk.data());
  if (layout.others) H5Pset_shuffle(creation);
  if (layout.deflate > 0) H5Pset_deflate(creation, static_cast<unsigned>(layout.deflate));
  if (layout.others) H5Pset_fletcher32(creation);
  if (layout.filter > 0) H5Pset_filter(creation, layout.filter, H5Z_FLAG_MANDATORY, 0, nullptr);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), type, space, links, creation, H5P_DEFAULT);
  const bool bad = dataset < 0 || (numbers != nullptr &&
                                   H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0);
  for (const hid_t id : {dataset, creation, links, space, type, file})
    if (id >= 0) H5Idec_ref(id);
  if (bad) throw std::runtime_error("no HDF5 dataset");
}

/// Adds the matrix as numbers of type T.
template <class T, class S>
void add_hdf5(const std::filesystem::path& path, const std::string& name, const Matrix<S>& m,
              const Hdf5Layout& layout = {}) {
  const RowMatrix<T> rows = m.template cast<T>();
  std::vector<hsize_t> sizes = {static_cast<hsize_t>(m.rows()), static_cast<hsize_t>(m.cols())};
  if (layout.vector) sizes.pop_back();
  add_hdf5(path, name, hdf5_native<T>(), sizes, rows.data(), layout);
}

}  // namespace landfall::test
