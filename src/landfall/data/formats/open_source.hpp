// Data as a source, whatever the format: recognised by content first, by extension second.
//
//   auto left = landfall::open_source<float>("left.npy");
//   auto matrix = landfall::open_source<float>("data.h5:/train/images");
//   auto folder = landfall::open_source<float>("parts");     // its files, sorted by name, as one
//   std::vector<std::filesystem::path> days = {"monday.npy", "tuesday.npy"};
//   auto week = landfall::open_source<float>(days);
//   auto piped = landfall::open_source<float>("-");          // standard input
//   auto few = landfall::open_source<float>("table.csv", {.columns = {"age", "s1..s6"}});
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/rows/source.hpp>

#include <filesystem>
#include <vector>

namespace landfall {

/// A file, a dataset of an HDF5 file (see Hdf5Path), an array of an .npz file ("file.npz:name"), or a folder: its
/// regular files, those whose name begins with a dot left out. "-" is standard input; it and pipes are read once, to a
/// temporary file (see SpooledFile), and can then be read again like any file. Their format is told by content; text is
/// svmlight or a table.
template <class S>
SourcePtr<S> open_source(const std::filesystem::path& path, const TableOptions& options = {});

/// Files and folders one after the other; see JoinedSource.
template <class S>
SourcePtr<S> open_source(const std::vector<std::filesystem::path>& paths, const TableOptions& options = {});

/// What TableOptions::format may be: npy, csv, ...
std::vector<std::string> table_formats();

/// The file itself, or the files of a folder in the order they are read.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& path,
                                                const TableOptions& options = {});

#define LANDFALL_OPEN_SOURCE(EXTERN, S)                                                           \
  EXTERN template SourcePtr<S> open_source<S>(const std::filesystem::path&, const TableOptions&); \
  EXTERN template SourcePtr<S> open_source<S>(const std::vector<std::filesystem::path>&, const TableOptions&);
LANDFALL_OPEN_SOURCE(extern, float)
LANDFALL_OPEN_SOURCE(extern, double)

}  // namespace landfall
