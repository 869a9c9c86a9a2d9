#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/svmlight_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/data/rows/joined_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace landfall {
namespace {

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

template <class S>
SourcePtr<S> open_file(const std::filesystem::path& path) {
  if (!Hdf5Path::split(path).dataset.empty()) return std::make_unique<Hdf5Source<S>>(path);
  const FileHead head = [&] {
    const InputFile file(path);
    return read_head(file, path);
  }();
  for (const auto& format : formats<S>())
    if (format.matches != nullptr && format.matches(head)) return format.open(path);
  std::string known;
  for (const auto& format : formats<S>()) {
    if (format.has_extension(head.extension)) return format.open(path);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.title);
  }
  throw DataError(fmt::format("{}: unknown file format (tried content and extension); supported: {}",
                              path.string(), known));
}

/// Whether text is svmlight's: the first line with more than one word is "number index:value" or
/// "number qid:number".
bool svmlight_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    double label = 0;
    const std::string_view first = text::take_word(line), second = text::take_word(line);
    if (second.empty()) continue;
    const std::string_view index = second.substr(0, second.find(':'));
    return text::parse(first, label) && index.size() < second.size() &&
           (index == "qid" || index.find_first_not_of("0123456789") == std::string_view::npos);
  }
  return false;
}

template <class S>
SourcePtr<S> open_standard_input() {
  constexpr std::size_t enough_to_see = 1 << 16;
  auto bytes = open_bytes("-");
  const FileHead head{read_up_to(*bytes, enough_to_see), ""};
  for (const auto& format : formats<S>())
    if (format.matches != nullptr && format.matches(head))
      throw UsageError(fmt::format("{}: {} data, expected csv or svmlight; give other formats as a file",
                                   bytes->name(), format.title));
  bytes = put_back(head.start, std::move(bytes));
  if (svmlight_content(head.start))
    return std::make_unique<SvmlightSource<S>>(LineReader(spool(std::move(bytes))));
  return std::make_unique<CsvSource<S>>(LineReader(std::move(bytes)));
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
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
  return files;
}

}  // namespace

std::vector<std::filesystem::path> source_files(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) return files_of(path);
  return {path};
}

template <class S>
SourcePtr<S> open_source(const std::filesystem::path& path) {
  if (path == "-") return open_standard_input<S>();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_source<S>(files_of(path));
  return open_file<S>(path);
}

template <class S>
SourcePtr<S> open_source(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw UsageError("no files to read, expected at least one");
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    throw UsageError("standard input is given twice, expected once");
  if (paths.size() == 1) return open_source<S>(paths.front());
  std::vector<SourcePtr<S>> parts;
  parts.reserve(paths.size());
  for (const auto& path : paths) parts.push_back(open_source<S>(path));
  return std::make_unique<JoinedSource<S>>(std::move(parts));
}

LANDFALL_OPEN_SOURCE(, float)
LANDFALL_OPEN_SOURCE(, double)

}  // namespace landfall
