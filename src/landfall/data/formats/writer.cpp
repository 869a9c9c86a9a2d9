#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/hdf5_writer.hpp>
#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/svmlight_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall {
namespace {

/// A format's own writer, which has write(batch) and commit().
template <class S, class Format>
class FormatWriter final : public Writer<S> {
 public:
  template <class... Args>
  FormatWriter(const std::filesystem::path& path, Index cols, Args&&... args)
      : path_(path), cols_(cols), format_(path, std::forward<Args>(args)...) {}

  void write(const Batch<S>& rows) override {
    check_columns(path_, rows.cols(), cols_);
    format_.write(rows);
  }
  void finish() override { format_.commit(); }

 private:
  std::filesystem::path path_;
  Index cols_;
  Format format_;
};

template <class S>
struct Ending {
  std::string_view text;
  WriterPtr<S> (*open)(const std::filesystem::path& path, Index cols);
};

template <class S>
WriterPtr<S> open_npy_writer(const std::filesystem::path& path, Index cols) {
  return std::make_unique<FormatWriter<S, NpyWriter<S>>>(path, cols, cols);
}

template <class S, char separator>
WriterPtr<S> open_table_writer(const std::filesystem::path& path, Index cols) {
  return std::make_unique<FormatWriter<S, CsvWriter<S>>>(path, cols, CsvLayout{.separator = separator});
}

template <class S>
WriterPtr<S> open_svmlight_writer(const std::filesystem::path& path, Index cols) {
  return std::make_unique<FormatWriter<S, SvmlightWriter<S>>>(path, cols, cols);
}

template <class S>
WriterPtr<S> open_market_writer(const std::filesystem::path& path, Index cols) {
  return std::make_unique<FormatWriter<S, MatrixMarketWriter<S>>>(path, cols, cols);
}

template <class S>
WriterPtr<S> open_hdf5_writer(const std::filesystem::path& path, Index cols) {
  return std::make_unique<Hdf5Writer<S>>(path, cols);
}

template <class S>
const std::vector<Ending<S>>& endings() {
  static const std::vector<Ending<S>> table = {
      {".npy", open_npy_writer<S>},           {".csv", open_table_writer<S, ','>},
      {".tsv", open_table_writer<S, '\t'>},   {".svm", open_svmlight_writer<S>},
      {".svmlight", open_svmlight_writer<S>}, {".libsvm", open_svmlight_writer<S>},
      {".mtx", open_market_writer<S>},        {".h5", open_hdf5_writer<S>},
      {".hdf5", open_hdf5_writer<S>},
  };
  return table;
}

}  // namespace

template <class S>
WriterPtr<S> open_writer(const std::filesystem::path& path, Index cols) {
  if (cols < 1)
    throw UsageError(fmt::format("{}: {} columns to write, expected at least 1", path.string(), cols));
  std::string ending = Hdf5Path::split(path).file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (const auto& known : endings<S>())
    if (known.text == ending) return known.open(path, cols);
  throw UsageError(fmt::format("{}: its name tells no format to write, expected it to end in one of {}",
                               path.string(), fmt::join(writer_endings(), " ")));
}

std::vector<std::string> writer_endings() {
  std::vector<std::string> texts;
  for (const auto& known : endings<float>()) texts.emplace_back(known.text);
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
