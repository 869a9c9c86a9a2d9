#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {

template <class S>
WriterPtr<S> open_writer(const std::filesystem::path& path, Index cols,
                         const std::vector<std::string>& names) {
  if (cols < 1)
    throw UsageError(fmt::format("{}: {} columns to write, expected at least 1", path.string(), cols));
  const std::string extension =
      path == "-" ? ".csv" : lower_case(Hdf5Path::split(path).file.extension().string());
  for (const auto& format : formats<S>())
    if (format.create != nullptr && format.has_extension(extension)) return format.create(path, cols, names);
  throw UsageError(fmt::format("{}: unknown extension for writing; supported: {}", path.string(),
                               fmt::join(writer_endings(), " ")));
}

std::vector<std::string> writer_endings() {
  std::vector<std::string> texts;
  for (const auto& format : formats<float>())
    if (format.create != nullptr)
      texts.insert(texts.end(), format.extensions.begin(), format.extensions.end());
  return texts;
}

void check_columns(const std::filesystem::path& path, Index found, Index expected) {
  if (found != expected)
    throw UsageError(
        fmt::format("{}: rows of {} columns to write, expected {}", path.string(), found, expected));
}

LANDFALL_WRITER(, float)
LANDFALL_WRITER(, double)

}  // namespace landfall
