// Rows of text tables: fields separated by commas, tabs, semicolons or blanks, with or without a header.
//
//   landfall::CsvSource<float> source("people.csv", {.columns = {"height", "3"}, .label = "species"});
//   landfall::Batch<float> batch;
//   while (source.read(128, batch) > 0) use(batch, source.labels(), source.label_names());
//
//   landfall::write_csv<double>("x.csv", x, {.names = {"first", "second"}});
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/rows/source.hpp>

#include <map>

namespace landfall {

using CsvOptions = TableOptions;
class FieldRules;
struct TableLook;

/// Fields may be quoted: separators and line breaks inside are text, "" is a quote. Empty lines are skipped.
/// Missing values read as NaN (TableOptions::missing). A column is text if most of its fields in the first rows are;
/// such columns are left out with a warning, or made columns of zeros and ones. Columns that are not asked for may
/// hold anything. DataError names the line, and the column where a single field is not a number.
template <class S>
class CsvSource : public Source<S> {
 public:
  /// "-" is standard input.
  explicit CsvSource(const std::filesystem::path& path, CsvOptions options = {});
  explicit CsvSource(LineReader lines, CsvOptions options = {});
  ~CsvSource() override;

  const std::string& name() const override { return lines_.name(); }
  std::string_view format() const override { return blanks_ ? "text" : separator_ == '\t' ? "tsv" : "csv"; }
  std::string_view element_type() const override { return "text"; }
  std::optional<Index> rows() const override { return rows_; }  // known once read to the end
  Index cols() const override { return cols_; }
  Index read(Index count, Batch<S>& batch) override;
  void rewind() override;
  bool rewindable() const override { return lines_.rewindable(); }
  const std::vector<std::string>& column_names() const override { return column_names_; }
  std::span<const std::string> warnings() const override { return warnings_; }
  std::span<const double> labels() const override { return labels_; }
  /// The next row as text, all columns of the file; false at the end. Not between two batches.
  bool read_fields(std::vector<std::string>& fields);
  /// All columns of the file; empty without a header.
  const std::vector<std::string>& file_columns() const { return names_; }
  /// Classes in order of appearance so far; empty when labels are numbers.
  const std::vector<std::string>& label_names() const { return label_names_; }

 private:
  /// A column of text, made one column for each of its values.
  struct Category {
    Index column = 0;  // of the file
    Index first = 0;   // of those handed out
    bool fixed = false;
    std::vector<std::string> values = {};  // in their order
    std::map<std::string, Index, std::less<>> places = {};
  };

  /// Within a row.
  struct Place {
    std::size_t position = 0;
    Index column = 0;
    bool ended = false;
  };

  bool next_row();
  std::string_view take_field(std::size_t& position);
  std::size_t skip_field(std::size_t position);
  std::vector<std::string> split();
  void choose(const CsvOptions& options, const TableLook& look);
  void warn_of_text(const std::vector<Index>& columns, const TableLook& look, bool dates);
  void warn_of_index(const CsvOptions& options, const TableLook& look, Index first);
  void find_categories(const CsvOptions& options);
  /// Fields from the place on that are plain numbers, or unused and without quotes; changes nothing but the place and `out`.
  void parse_plain(std::string_view line, Place& place, std::span<S> out) const;
  /// Where a column of the file goes; -1, unused, also beyond the last.
  Index target_of(Index column) const {
    return column < std::ssize(targets_) ? targets_[static_cast<std::size_t>(column)] : -1;
  }
  void parse_field(Place& place, std::span<S> out);
  void parse_row(std::span<S> out);
  void require_fields(Index found) const;
  void read_block(Index count, Batch<S>& batch);
  double label(std::string_view field, Index column);
  void set_category(const Category& category, std::string_view field, std::span<S> out) const;
  std::string title(Index column) const;
  [[noreturn]] void not_a_number(std::string_view field, Index column, bool may_be_missing) const;

  LineReader lines_;
  std::unique_ptr<FieldRules> rules_;
  std::vector<S> missing_numbers_;
  char separator_ = ',';
  bool blanks_ = false, header_ = false, nameless_first_ = false, text_is_missing_ = false;
  Index cols_ = 0;
  std::vector<std::string> names_, column_names_;  // of the columns of the file; of those given out
  std::vector<Index> targets_;                     // where each column of the file goes
  std::vector<Category> categories_;
  std::vector<std::string> warnings_;
  Index row_ = 0;  // the next one
  std::optional<Index> rows_;

  std::string_view line_;  // the current row
  Index line_number_ = 0;  // where it begins
  std::string unquoted_, joined_;

  // Of rows that several threads parse: lines, entries, which are plain numbers.
  std::vector<std::string_view> ahead_;
  std::vector<S> parsed_;
  std::vector<char> plain_;
  std::vector<Index> numbers_;
  bool mostly_plain_ = true;

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
