// An .npy file as a source: mapped into memory, never read as a whole, rows in any order.
//
//   auto source = landfall::open_npy<float>("left.npy");
//   landfall::Batch<float> batch;
//   while (source->read(128, batch) > 0) use(batch);
#pragma once

#include <landfall/data/io/file.hpp>
#include <landfall/data/rows/source.hpp>

namespace landfall {

/// A vector is one column. What read_npy refuses is refused in the same words.
template <class S>
SourcePtr<S> open_npy(const InputFile& file);
template <class S>
SourcePtr<S> open_npy(const std::filesystem::path& path);

#define LANDFALL_NPY_SOURCE(EXTERN, S)                        \
  EXTERN template SourcePtr<S> open_npy<S>(const InputFile&); \
  EXTERN template SourcePtr<S> open_npy<S>(const std::filesystem::path&);
LANDFALL_NPY_SOURCE(extern, float)
LANDFALL_NPY_SOURCE(extern, double)

}  // namespace landfall
