// HDF5 for the .cpp files that read and write it; not installed, so that no client needs its headers.
#pragma once

#define H5_USE_110_API  // the oldest one that has all we call; newer libraries keep it

#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/io/file.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace landfall::hdf5 {

/// Calls to the library are made while one of these lives. Its messages are not printed, which is set back
/// afterwards for others who use it; and where it was built without locks of its own, ours keeps the threads
/// of Landfall apart.
class Calls {
 public:
  Calls() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Calls() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

 private:
  static std::recursive_mutex& mutex();

  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Owns what an identifier stands for: a file, a dataset, a space, a type or a list of properties.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  hid_t id() const { return id_; }

  /// Whether nothing went wrong. The last handle of a file that was written writes what is left.
  bool close() {
    if (id_ < 0) return true;
    const Calls calls;
    return H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// What the library says is wrong, after a call that failed.
std::string reason();

enum class Type { f4, f8, u1, u2, u4, u8, i1, i2, i4, i8 };

/// Calls f with a value of the C++ type of the numbers.
template <class F>
auto with_type(Type type, F f) {
  switch (type) {
    case Type::f4:
      return f(float{});
    case Type::f8:
      return f(double{});
    case Type::u1:
      return f(std::uint8_t{});
    case Type::u2:
      return f(std::uint16_t{});
    case Type::u4:
      return f(std::uint32_t{});
    case Type::u8:
      return f(std::uint64_t{});
    case Type::i1:
      return f(std::int8_t{});
    case Type::i2:
      return f(std::int16_t{});
    case Type::i4:
      return f(std::int32_t{});
    default:
      return f(std::int64_t{});
  }
}

std::string_view type_name(Type type);
/// The type of numbers in memory; not to be closed.
hid_t native_type(Type type);

/// A matrix of numbers in a file. What its header says has been compared with what the file holds.
class Dataset {
 public:
  Dataset(const Hdf5Path& path, const Hdf5Options& options);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Type type() const { return type_; }
  bool any_order() const { return any_order_; }

  /// Rows and columns that are best read together, beginning at multiples of these.
  Index tile_rows() const { return tile_rows_; }
  Index tile_cols() const { return tile_cols_; }

  /// The numbers of a block of the matrix, row after row, in the byte order of this machine.
  void read(Index row, Index rows, Index col, Index cols, std::byte* out);

 private:
  void check_superblock(const InputFile& input) const;
  void open(const Hdf5Path& path);
  void check_entries(const Handle& type);
  void check_shape();
  void check_filters(const Handle& creation);
  void check_storage(const Handle& creation);
  void check_chunks(Index row, Index rows, Index col, Index cols);
  void check_chunk(Index row, Index col);
  void choose_cache(const Hdf5Options& options);
  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t chunk_bytes() const;
  std::uint64_t chunks() const;

  std::string name_;  // file:/dataset, for messages
  std::string path_;  // in the file
  Handle file_, dataset_, space_;
  Type type_ = Type::f8;
  Index rows_ = 0, cols_ = 0;
  int dimensions_ = 2;

  std::uint64_t file_size_ = 0;
  FileStamp stamp_;
  bool chunked_ = false, packed_ = false;
  int deflate_ = -1, checksum_ = -1;  // places among the filters
  std::vector<bool> checked_;         // chunks that unpack to their size
  Index chunk_rows_ = 0, chunk_cols_ = 0;
  bool any_order_ = true;
  Index tile_rows_ = 0, tile_cols_ = 0;
};

}  // namespace landfall::hdf5
