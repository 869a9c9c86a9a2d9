#include <landfall/data/formats/foreign_formats.ipp>
#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/data/rows/joined_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/parallel/communicator.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

template <class S>
SourcePtr<S> choose_from(SourcePtr<S> source, const TableOptions& options) {
  if (options.choice().all()) return source;
  return std::make_unique<ChosenColumns<S>>(std::move(source), options.choice());
}

FileHead read_head(const InputFile& file, const std::filesystem::path& path) {
  FileHead head{std::string(32, '\0'), lower_case(path.extension().string())};
  const auto bytes = std::as_writable_bytes(std::span(head.start));
  std::size_t count = 0;
  if (is_gzip(file)) {
    count = GzipReader(file).read(bytes);
    if (head.extension == ".gz") head.extension = lower_case(path.stem().extension().string());
  } else {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size()));
    file.read(0, bytes.first(count));
  }
  head.start.resize(count);
  return head;
}

/// A format by the name that an option gives.
template <class S>
const Format<S>& format_named(const std::string& name) {
  for (const auto& format : formats<S>())
    if (format.name() == name) return format;
  throw UsageError(
      fmt::format("unknown format '{}', expected one of {}", name, fmt::join(table_formats(), ", ")));
}

/// With the columns that were asked for.
template <class S>
SourcePtr<S> open_as_format(const Format<S>& format, const std::filesystem::path& path,
                            const TableOptions& options) {
  if (format.open_table != nullptr) {
    TableOptions given = options;
    if (options.format == "tsv" && !given.separator) given.separator = '\t';
    auto source = format.open_table(path, given);
    if (source->format() != "svmlight") return source;
    return choose_from<S>(std::move(source), options);
  }
  return choose_from<S>(format.open(path), options);
}

template <class S>
SourcePtr<S> open_file(const std::filesystem::path& path, const TableOptions& options) {
  if (path.string().find(".npz:") != std::string::npos)
    return open_as_format(format_named<S>("npz"), path, options);
  if (!Hdf5Path::split(path).dataset.empty()) return open_as_format(format_named<S>("hdf5"), path, options);
  if (!options.format.empty()) return open_as_format(format_named<S>(options.format), path, options);
  const FileHead head = [&] {
    const InputFile file(path);
    return read_head(file, path);
  }();
  refuse_foreign(path, head);
  for (const auto& format : formats<S>())
    if (format.matches != nullptr && format.matches(head)) return open_as_format(format, path, options);
  std::string known;
  for (const auto& format : formats<S>()) {
    if (format.has_extension(head.extension)) return open_as_format(format, path, options);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.title);
  }
  throw DataError(fmt::format("{}: unknown file format (tried content and extension); supported: {}",
                              path.string(), known));
}

/// Standard input or a pipe: its content tells the format; text is svmlight or a table.
template <class S>
SourcePtr<S> open_spooled(const std::filesystem::path& path, const TableOptions& options) {
  if (!options.format.empty()) return open_file<S>(path, options);
  const FileHead head = [&] {
    const InputFile file(path);
    return read_head(file, path);
  }();
  refuse_foreign(path, head);
  for (const auto& format : formats<S>())
    if (format.matches != nullptr && format.matches(head)) return open_as_format(format, path, options);
  return open_as_format(format_named<S>("text"), path, options);
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const TableOptions& options) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (!entry->path().filename().string().starts_with('.') &&
        std::filesystem::is_regular_file(entry->path()))
      files.push_back(entry->path());
  if (error) throw DataError(fmt::format("{}: cannot be opened: {}", folder.string(), error.message()));
  if (files.empty()) throw DataError(fmt::format("{}: the folder contains no files", folder.string()));
  std::sort(files.begin(), files.end());
  const RankSlice own = slice(options.part, options.parts, static_cast<std::ptrdiff_t>(files.size()));
  if (own.size() == 0)
    throw UsageError(fmt::format("{}: {} files for {} ranks, expected at least one for each", folder.string(),
                                 files.size(), options.parts));
  return {files.begin() + own.first, files.begin() + own.last};
}

}  // namespace

std::vector<std::filesystem::path> source_files(const std::filesystem::path& path,
                                                const TableOptions& options) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) return files_of(path, options);
  return {path};
}

std::vector<std::string> table_formats() {
  std::vector<std::string> names;
  for (const auto& format : formats<float>()) names.push_back(format.name());
  return names;
}

template <class S>
SourcePtr<S> open_source(const std::filesystem::path& path, const TableOptions& options) {
  if (is_read_once(path)) {
    const SpooledFile copy(path);
    return open_spooled<S>(copy.path(), options);
  }
  if (shown_name(path) != path) return open_spooled<S>(path, options);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_source<S>(files_of(path, options), options);
  return open_file<S>(path, options);
}

template <class S>
SourcePtr<S> open_source(const std::vector<std::filesystem::path>& paths, const TableOptions& options) {
  if (paths.empty()) throw UsageError("no files to read, expected at least one");
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    throw UsageError("standard input is given twice, expected once");
  if (paths.size() == 1) return open_source<S>(paths.front(), options);
  std::vector<SourcePtr<S>> parts;
  parts.reserve(paths.size());
  for (const auto& path : paths) parts.push_back(open_source<S>(path, options));
  return std::make_unique<JoinedSource<S>>(std::move(parts));
}

LANDFALL_OPEN_SOURCE(, float)
LANDFALL_OPEN_SOURCE(, double)

}  // namespace landfall
