#include <landfall/data/formats/array_source.hpp>
#include <landfall/data/formats/npy_source.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall {

template <class S>
SourcePtr<S> open_npy(const InputFile& file) {
  if (is_gzip(file))
    throw DataError(fmt::format("{}: a compressed .npy file; decompress it first", file.name()));
  return std::make_unique<ArraySource<S>>(file, "npy", read_npy_matrix_header(file));
}

template <class S>
SourcePtr<S> open_npy(const std::filesystem::path& path) {
  return open_npy<S>(InputFile(path));
}

LANDFALL_NPY_SOURCE(, float)
LANDFALL_NPY_SOURCE(, double)

}  // namespace landfall
