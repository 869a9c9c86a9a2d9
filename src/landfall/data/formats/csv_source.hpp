// Rows of text tables: fields separated by commas, tabs or semicolons, with or without a header.
//
//   landfall::CsvSource<float> source("people.csv", {.columns = {"height", "3"}, .label = "species"});
//   landfall::Batch<float> batch;
//   while (source.read(128, batch) > 0) use(batch, source.labels(), source.label_names());
//
//   landfall::write_csv<double>("x.csv", x, {.names = {"first", "second"}});
#pragma once

#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/rows/source.hpp>

#include <map>

namespace landfall {

enum class CsvHeader { detect, present, absent };

struct CsvOptions {
  /// ',', ';', '|' or a tab; one of these but '|' is found in the first lines when not given.
  std::optional<char> separator = std::nullopt;
  /// Detected: the first line is a header when it has something that is not a number where a number is
  /// expected, or when a column is asked for by name.
  CsvHeader header = CsvHeader::detect;
  /// Names of the columns to read, or their numbers from 1, in the order they are given out. A name comes
  /// before a number. None: all but that of the labels.
  std::vector<std::string> columns = {};
  /// The column of labels, by name or number; none when empty. Numbers, or classes when the first label is
  /// not a number: then labels() are the positions in label_names().
  std::string label = {};
};

/// Fields may be quoted: separators and line breaks inside are text, "" is a quote. Empty lines are skipped.
/// An empty field, NA and NaN are missing values and read as NaN. Columns that are not asked for may hold
/// anything. DataError names the line, and the column where a field is not a number.
template <class S>
class CsvSource : public Source<S> {
 public:
  /// "-" is standard input.
  explicit CsvSource(const std::filesystem::path& path, CsvOptions options = {});
  explicit CsvSource(LineReader lines, CsvOptions options = {});

  const std::string& name() const override { return lines_.name(); }
  std::string_view format() const override { return separator_ == '\t' ? "tsv" : "csv"; }
  std::string_view element_type() const override { return "text"; }
  std::optional<Index> rows() const override { return rows_; }  // known once read to the end
  Index cols() const override { return cols_; }
  Index read(Index count, Batch<S>& batch) override;
  void rewind() override;
  bool rewindable() const override { return lines_.rewindable(); }
  const std::vector<std::string>& column_names() const override { return column_names_; }
  std::span<const double> labels() const override { return labels_; }
  /// Classes in order of appearance so far; empty when labels are numbers.
  const std::vector<std::string>& label_names() const { return label_names_; }

 private:
  bool next_row();
  std::string_view take_field(std::size_t& position);
  std::size_t skip_field(std::size_t position);
  std::vector<std::string> split();
  bool looks_like_header(const std::vector<std::string>& fields, const CsvOptions& options) const;
  void choose_columns(const CsvOptions& options);
  Index find_column(const std::string& column) const;
  void parse_row(std::span<S> out);
  double label(std::string_view field, Index column);
  [[noreturn]] void not_a_number(std::string_view field, Index column) const;

  LineReader lines_;
  char separator_ = ',';
  bool header_ = false;
  Index cols_ = 0;
  std::vector<std::string> names_, column_names_;  // of the columns of the file; of those given out
  std::vector<Index> targets_;                     // where each column of the file goes
  Index row_ = 0;                                  // the next one
  std::optional<Index> rows_;

  std::string_view line_;  // the current row
  Index line_number_ = 0;  // where it begins
  std::string unquoted_;

  enum class Labels { none, numbers, classes, unknown } label_kind_ = Labels::none;
  std::vector<double> labels_;
  std::vector<std::string> label_names_;
  std::map<std::string, Index, std::less<>> classes_;
};

struct CsvLayout {
  char separator = ',';
  /// The header; none when empty.
  std::vector<std::string> names = {};
};

/// Appends batches to a file that appears on commit(), with as many digits as reading back exactly needs.
template <class S>
class CsvWriter {
 public:
  explicit CsvWriter(const std::filesystem::path& path, CsvLayout layout = {});
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  /// Sparse rows are written with their zeros.
  void write(const Batch<S>& batch);
  void write_row(std::span<const S> row);
  void commit();

 private:
  struct File;
  std::unique_ptr<File> file_;
  CsvLayout layout_;
  std::vector<S> row_;
};

/// Rows are samples.
template <class S>
void write_csv(const std::filesystem::path& path, In<S> matrix, CsvLayout layout = {});

#define LANDFALL_CSV(EXTERN, S)       \
  EXTERN template class CsvSource<S>; \
  EXTERN template class CsvWriter<S>; \
  EXTERN template void write_csv<S>(const std::filesystem::path&, In<S>, CsvLayout);
LANDFALL_CSV(extern, float)
LANDFALL_CSV(extern, double)

}  // namespace landfall
