#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>

namespace landfall {

template <class S>
struct CsvWriter<S>::File {
  explicit File(const std::filesystem::path& path) : text(path) {}
  text::TextFile text;
};

template <class S>
CsvWriter<S>::CsvWriter(const std::filesystem::path& path, CsvLayout layout)
    : file_(std::make_unique<File>(path)), layout_(std::move(layout)) {
  const auto quoted = [&](const std::string& name) {
    if (name.find_first_of("\"\r\n ") == std::string::npos &&
        name.find(layout_.separator) == std::string::npos)
      return name;
    std::string result = "\"";
    for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
  };
  for (std::size_t j = 0; j < layout_.names.size(); ++j) {
    if (j > 0) file_->text.print("{}", layout_.separator);
    file_->text.print("{}", quoted(layout_.names[j]));
  }
  if (!layout_.names.empty()) file_->text.print("\n");
}

template <class S>
CsvWriter<S>::~CsvWriter() = default;

template <class S>
void CsvWriter<S>::write_row(std::span<const S> row) {
  if (!layout_.names.empty() && row.size() != layout_.names.size())
    throw UsageError(fmt::format("a row of {} under {} names", row.size(), layout_.names.size()));
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j > 0) file_->text.print("{}", layout_.separator);
    file_->text.print("{}", row[j]);
  }
  file_->text.print("\n");
}

template <class S>
void CsvWriter<S>::write(const Batch<S>& batch) {
  row_.resize(static_cast<std::size_t>(batch.cols()));
  for (Index i = 0; i < batch.rows(); ++i) {
    dense_row<S>(batch, i, row_);
    write_row(row_);
  }
}

template <class S>
void CsvWriter<S>::commit() {
  file_->text.commit();
}

template <class S>
void write_csv(const std::filesystem::path& path, In<S> matrix, CsvLayout layout) {
  CsvWriter<S> writer(path, std::move(layout));
  std::vector<S> row(static_cast<std::size_t>(matrix.cols()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    std::copy(matrix.row(i).begin(), matrix.row(i).end(), row.begin());
    writer.write_row(row);
  }
  writer.commit();
}

#define LANDFALL_CSV_WRITER(S) \
  template class CsvWriter<S>; \
  template void write_csv<S>(const std::filesystem::path&, In<S>, CsvLayout);
LANDFALL_CSV_WRITER(float)
LANDFALL_CSV_WRITER(double)
#undef LANDFALL_CSV_WRITER

}  // namespace landfall
