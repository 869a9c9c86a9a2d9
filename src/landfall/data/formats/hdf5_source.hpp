// A matrix of an HDF5 file as a source: rows are samples, read from the file when they are asked for.
//
//   landfall::Hdf5Source<float> source("data.h5:/train/images");   // "data.h5": its only matrix
//   landfall::Batch<float> batch;
//   while (source.read(128, batch) > 0) use(batch);
//   source.read_rows(rows, batch);
#pragma once

#include <landfall/data/rows/random_source.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace landfall {

/// Where a dataset is. "FILE:/path" is taken apart where FILE exists or ends in .h5 or .hdf5, unless there is
/// a file of the whole name.
struct Hdf5Path {
  std::filesystem::path file;
  std::string dataset;  // empty: not said

  static Hdf5Path split(const std::filesystem::path& path);
};

struct Hdf5Options {
  /// Chunks of a compressed dataset are kept once they are unpacked. If all of them take at most this many
  /// bytes, rows can be read in any order. A larger dataset is read in order only, since each row in another
  /// order would take the unpacking of a chunk; then those chunks are kept that the next rows need, in at
  /// most a quarter of this, or in two chunks.
  std::uint64_t memory = std::uint64_t{256} << 20;
};

namespace hdf5 {
class Dataset;
}

/// Whole and floating-point numbers of up to eight bytes, in either byte order; one or two dimensions, a
/// vector is one column; contiguous, chunked, or packed by deflate, with shuffle and fletcher32 or without.
/// Numbers keep their type in the file, each batch is converted. DataError names file and dataset; what is
/// not there in full is an error too: chunks that were never written, and data in other files.
template <class S>
class Hdf5Source : public RandomSource<S> {
 public:
  /// A file without the name of a dataset must have only one, or only one that is a matrix of numbers.
  explicit Hdf5Source(const std::filesystem::path& path, const Hdf5Options& options = {});
  ~Hdf5Source() override;

  std::string_view format() const override { return "hdf5"; }
  std::string_view element_type() const override;
  bool random_access() const override;
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

 private:
  Hdf5Source(std::string name, std::unique_ptr<hdf5::Dataset> dataset);
  void fetch(std::span<const Index> rows, Batch<S>& batch) override;
  void fetch_tile(std::span<const Index> rows, std::span<const std::size_t> places, Index col, Index cols,
                  Batch<S>& batch);

  std::unique_ptr<hdf5::Dataset> dataset_;
  std::vector<std::size_t> order_;  // of the rows asked for, by where they lie
  std::vector<std::byte> block_;
};

extern template class Hdf5Source<float>;
extern template class Hdf5Source<double>;

}  // namespace landfall
