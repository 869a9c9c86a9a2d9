#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/hdf5_writer.hpp>
#include <landfall/data/formats/idx_source.hpp>
#include <landfall/data/formats/matrix_market_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/npy_source.hpp>
#include <landfall/data/formats/npz.hpp>
#include <landfall/data/formats/svmlight_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cctype>

namespace landfall {
namespace {

using Path = std::filesystem::path;

bool npy_content(const FileHead& head) {
  return head.start.starts_with("\x93NUMPY");
}

bool hdf5_content(const FileHead& head) {
  return head.start.starts_with("\x89HDF\r\n\x1a\n");
}

bool idx_content(const FileHead& head) {
  constexpr std::string_view types = "\x08\x09\x0b\x0c\x0d\x0e";
  const std::string& start = head.start;
  return start.size() >= 4 && start[0] == '\0' && start[1] == '\0' && types.find(start[2]) != types.npos &&
         start[3] != '\0';
}

bool zip_content(const FileHead& head) {
  return head.start.starts_with("PK\3\4");
}

bool market_content(const FileHead& head) {
  return head.start.starts_with("%%MatrixMarket");
}

template <class S, class T>
SourcePtr<S> open_as(const Path& path) {
  return std::make_unique<T>(path);
}

template <class S>
SourcePtr<S> open_table(const Path& path, const TableOptions& options) {
  return std::make_unique<CsvSource<S>>(path, options);
}

/// Text of an extension that says nothing more: a table or svmlight.
template <class S>
SourcePtr<S> open_text(const Path& path, const TableOptions& options) {
  LineReader lines(path);
  constexpr std::size_t enough_to_see = 1 << 16;
  const std::string_view begin = lines.ahead(enough_to_see);
  if (begin.substr(0, enough_to_see).find('\0') != std::string_view::npos)
    throw DataError(fmt::format("{}: not text, expected rows of numbers", lines.name()));
  if (svmlight_content(begin)) return std::make_unique<SvmlightSource<S>>(std::move(lines));
  return std::make_unique<CsvSource<S>>(std::move(lines), options);
}

/// Adapts a format's own writer, which has write(batch) and commit().
template <class S, class W>
class FormatWriter final : public Writer<S> {
 public:
  template <class Argument>
  FormatWriter(const Path& path, Index cols, Argument argument)
      : path_(path), cols_(cols), writer_(path, argument) {}

  void write(const Batch<S>& rows) override {
    check_columns(path_, rows.cols(), cols_);
    writer_.write(rows);
  }
  void finish() override { writer_.commit(); }

 private:
  Path path_;
  Index cols_;
  W writer_;
};

template <class S, class W>
WriterPtr<S> create_as(const Path& path, Index cols, const std::vector<std::string>&) {
  return std::make_unique<FormatWriter<S, W>>(path, cols, cols);
}

template <class S, char separator>
WriterPtr<S> create_table(const Path& path, Index cols, const std::vector<std::string>& names) {
  return std::make_unique<FormatWriter<S, CsvWriter<S>>>(path, cols,
                                                         CsvLayout{.separator = separator, .names = names});
}

template <class S>
WriterPtr<S> create_hdf5(const Path& path, Index cols, const std::vector<std::string>&) {
  return std::make_unique<Hdf5Writer<S>>(path, cols);
}

}  // namespace

template <class S>
const std::vector<Format<S>>& formats() {
  static const std::vector<Format<S>> table = {
      {".npy",
       npy_content,
       {".npy"},
       [](const Path& path) { return open_npy<S>(path); },
       create_as<S, NpyWriter<S>>},
      {"csv", nullptr, {".csv"}, open_as<S, CsvSource<S>>, create_table<S, ','>, open_table<S>},
      {"tsv", nullptr, {".tsv"}, open_as<S, CsvSource<S>>, create_table<S, '\t'>, open_table<S>},
      {"svmlight",
       nullptr,
       {".svm", ".svmlight", ".libsvm"},
       open_as<S, SvmlightSource<S>>,
       create_as<S, SvmlightWriter<S>>},
      {"Matrix Market",
       market_content,
       {".mtx", ".mm"},
       open_as<S, MatrixMarketSource<S>>,
       create_as<S, MatrixMarketWriter<S>>},
      {"HDF5", hdf5_content, {".h5", ".hdf5"}, open_as<S, Hdf5Source<S>>, create_hdf5<S>},
      {".npz", zip_content, {".npz"}, [](const Path& path) { return open_npz<S>(path); }, nullptr},
      {"text",
       nullptr,
       {".txt", ".dat", ".asc", ".data"},
       [](const Path& path) { return open_text<S>(path, {}); },
       nullptr,
       open_text<S>},
      {"IDX", idx_content, {".idx"}, [](const Path& path) { return open_idx<S>(path); }, nullptr},
  };
  return table;
}

template <class S>
std::string Format<S>::name() const {
  std::string text = lower_case(std::string(title));
  if (text.starts_with('.')) text.erase(0, 1);
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

template std::string Format<float>::name() const;
template std::string Format<double>::name() const;
template const std::vector<Format<float>>& formats<float>();
template const std::vector<Format<double>>& formats<double>();

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

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace landfall
