// IDX files, the format of MNIST, plain or gzip-compressed, as sources.
//
//   auto images = landfall::open_idx<float>("train-images-idx3-ubyte.gz");  // 60000 x 784
//   landfall::Batch<float> batch;
//   while (images->read(128, batch) > 0) use(batch);
//   use(landfall::idx_sizes("train-images-idx3-ubyte.gz"));                 // 60000, 28, 28
#pragma once

#include <landfall/data/rows/source.hpp>

#include <cstdint>

namespace landfall {

struct IdxOptions {
  /// A compressed file whose numbers take at most this many bytes is unpacked into memory, where its rows can
  /// be read in any order. A larger one is unpacked while it is read, in order only.
  std::uint64_t memory = std::uint64_t{256} << 20;
};

/// Rows are the first dimension, columns the product of the others. A plain file is mapped into memory.
template <class S>
SourcePtr<S> open_idx(const std::filesystem::path& path, const IdxOptions& options = {});

/// The sizes of all dimensions, as the header has them: 60000, 28, 28.
std::vector<Index> idx_sizes(const std::filesystem::path& path);

extern template SourcePtr<float> open_idx<float>(const std::filesystem::path&, const IdxOptions&);
extern template SourcePtr<double> open_idx<double>(const std::filesystem::path&, const IdxOptions&);

}  // namespace landfall
