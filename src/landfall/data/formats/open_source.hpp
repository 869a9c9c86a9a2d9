// Data as a source, whatever the format: recognised by content first, by extension second.
//
//   auto left = landfall::open_source<float>("left.npy");
//   auto matrix = landfall::open_source<float>("data.h5:/train/images");
//   auto folder = landfall::open_source<float>("parts");     // its files, sorted by name, as one
//   std::vector<std::filesystem::path> days = {"monday.npy", "tuesday.npy"};
//   auto week = landfall::open_source<float>(days);
//   auto piped = landfall::open_source<float>("-");          // standard input
#pragma once

#include <landfall/data/rows/source.hpp>

#include <filesystem>
#include <vector>

namespace landfall {

/// A file, a dataset of an HDF5 file (see Hdf5Path), or a folder: its regular files, those whose name begins
/// with a dot left out. "-" is standard input, csv or svmlight by content, plain or gzip-compressed: csv is
/// read once, as it comes; svmlight, whose columns are counted by a first reading, goes through a temporary
/// file and can be read again.
template <class S>
SourcePtr<S> open_source(const std::filesystem::path& path);

/// Files and folders one after the other; see JoinedSource.
template <class S>
SourcePtr<S> open_source(const std::vector<std::filesystem::path>& paths);

/// The file itself, or the files of a folder in the order they are read.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& path);

#define LANDFALL_OPEN_SOURCE(EXTERN, S)                                      \
  EXTERN template SourcePtr<S> open_source<S>(const std::filesystem::path&); \
  EXTERN template SourcePtr<S> open_source<S>(const std::vector<std::filesystem::path>&);
LANDFALL_OPEN_SOURCE(extern, float)
LANDFALL_OPEN_SOURCE(extern, double)

}  // namespace landfall
