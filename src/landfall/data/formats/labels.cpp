#include <landfall/data/formats/labels.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/io/spool.hpp>
#include <landfall/data/rows/joined_source.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace landfall {
namespace {

/// Classes in order of appearance while labels are added, in that of their names at the end.
class LabelTable {
 public:
  explicit LabelTable(std::string name) : name_(std::move(name)) {}

  void add(std::string_view label) {
    auto found = numbers_.find(label);
    if (found == numbers_.end()) {
      found = numbers_.emplace(label, static_cast<std::uint32_t>(names_.size())).first;
      names_.push_back(found->first);
    }
    rows_.push_back(found->second);
  }
  void add(double label) {
    if (std::isnan(label)) missing();
    add(fmt::format("{}", label + 0.0));  // -0 is 0
  }

  [[noreturn]] void missing() const {
    throw DataError(fmt::format("{}: no label in row {}", name_, rows_.size() + 1));
  }

  bool first_is_header() const {
    if (rows_.size() < 2 || is_number(names_[0])) return false;
    std::vector<std::uint32_t> counts(names_.size(), 0);
    for (const std::uint32_t number : rows_) ++counts[number];
    return counts[0] == 1 &&
           (std::all_of(names_.begin() + 1, names_.end(), is_number) ||
            std::all_of(counts.begin() + 1, counts.end(), [](auto count) { return count > 1; }));
  }
  void drop_first() {  // which occurs once
    rows_.erase(rows_.begin());
    for (std::uint32_t& row : rows_) --row;
    numbers_.erase(names_[0]);
    names_.erase(names_.begin());
  }

  Labels finish() {
    if (rows_.empty()) throw DataError(fmt::format("{}: empty, expected labels", name_));
    std::vector<std::uint32_t> order(names_.size()), places(names_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::string> sorted;
    if (std::all_of(names_.begin(), names_.end(), is_number)) {
      std::vector<double> values(names_.size());
      for (std::size_t i = 0; i < names_.size(); ++i) text::parse(names_[i], values[i]);
      std::sort(order.begin(), order.end(), [&](auto i, auto j) { return values[i] < values[j]; });
      for (std::size_t k = 0; k < order.size(); ++k) {
        const double value = values[order[k]];
        if (k == 0 || value != values[order[k - 1]]) sorted.push_back(fmt::format("{}", value + 0.0));
        places[order[k]] = static_cast<std::uint32_t>(sorted.size() - 1);
      }
    } else {
      std::sort(order.begin(), order.end(), [&](auto i, auto j) { return names_[i] < names_[j]; });
      for (std::size_t k = 0; k < order.size(); ++k) {
        sorted.push_back(names_[order[k]]);
        places[order[k]] = static_cast<std::uint32_t>(k);
      }
    }
    for (std::uint32_t& row : rows_) row = places[row];
    return {name_, std::move(sorted), std::move(rows_)};
  }

 private:
  /// "inf" may be the name of a class.
  static bool is_number(const std::string& text) {
    double value = 0;
    return text::parse(text, value) && std::isfinite(value);
  }

  std::string name_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> rows_;
};

/// One label from a line: without the quotes around it, where "" is a quote.
std::string field(const LineReader& lines, std::string_view line) {
  const auto fail = [&](std::string_view what) {
    throw DataError(fmt::format("{}: line {}: {}, expected one label", lines.name(), lines.number(), what));
  };
  while (!line.empty() && text::blank(line.substr(0, 1))) line.remove_prefix(1);
  while (!line.empty() && text::blank(line.substr(line.size() - 1))) line.remove_suffix(1);
  if (!line.starts_with('"')) {
    if (line.find_first_of(",;\t") != std::string_view::npos)
      fail(fmt::format("several fields in '{}'", text::shown(line)));
    return std::string(line);
  }
  std::string label;
  for (std::size_t k = 1; k < line.size(); ++k) {
    if (line[k] == '"' && k + 1 == line.size()) return label;
    if (line[k] == '"' && line[++k] != '"') fail(fmt::format("several fields in '{}'", text::shown(line)));
    label += line[k];
  }
  fail("unterminated quoted field");
  return {};
}

Labels read_text(LineReader lines, const LabelOptions& options) {
  LabelTable table(lines.name());
  if (options.header == CsvHeader::present) lines.next();
  Index missing = 0;  // the first line without a label
  while (const auto line = lines.next()) {
    const std::string label = field(lines, *line);
    if (text::missing(label) && missing == 0) missing = lines.number();
    if (label.empty()) continue;  // at the end it means nothing
    if (missing > 0) throw DataError(fmt::format("{}: line {}: no label", lines.name(), missing));
    table.add(label);
  }
  if (options.header == CsvHeader::detect && table.first_is_header()) table.drop_first();
  return table.finish();
}

/// From its first row to its last, or whatever is left of it.
template <class S>
void add_labels(Source<S>& source, LabelTable& table) {
  constexpr Index count = 1024;
  const auto* csv = dynamic_cast<const CsvSource<S>*>(&source);
  Batch<S> batch;
  while (source.read(count, batch) > 0) {
    const auto labels = source.labels();
    if (labels.empty())
      throw DataError(fmt::format("{}: no labels, expected svmlight or a label column", source.name()));
    for (const double label : labels) {
      if (std::isnan(label)) table.missing();
      if (csv != nullptr && !csv->label_names().empty())
        table.add(csv->label_names()[static_cast<std::size_t>(label)]);
      else
        table.add(label);
    }
  }
}

template <class S>
void expect_rewindable(const Source<S>& source) {
  if (!source.rewindable())
    throw UsageError(fmt::format(
        "{}: can be read only once, but labels require a first pass; expected a file", source.name()));
}

}  // namespace

Labels Labels::of_ranks(Index first_row, Communicator& communicator) const {
  std::string own, every;
  for (const auto& name : names_) own += name + '\0';
  for (const auto& names : communicator.gather(own)) every += names;
  broadcast_text(communicator, every);
  LabelTable table(name_);
  for (const auto& name : names_)
    table.add(name);  // these first: then row i of the table is what class i becomes
  for (std::size_t at = 0; at < every.size(); at += std::strlen(every.data() + at) + 1)
    table.add(std::string_view(every.data() + at));
  Labels all = table.finish();
  std::vector<std::uint32_t> rows = rows_;
  for (std::uint32_t& row : rows) row = all.rows_[row];
  return {name_, std::move(all.names_), std::move(rows), first_row};
}

Index Labels::of(Index row) const {
  row -= first_row_;
  if (row < 0 || row >= rows())
    throw DataError(fmt::format("{}: {} labels, but the data has a row {}", name_, rows(), row + 1));
  return rows_[static_cast<std::size_t>(row)];
}

void Labels::expect_rows(const std::string& data, Index rows) const {
  if (rows != this->rows())
    throw DataError(fmt::format("{} has {} labels and {} has {} rows; expected the same number", name_,
                                this->rows(), data, rows));
}

Labels read_labels(const std::filesystem::path& path, const LabelOptions& options) {
  if (is_read_once(path)) {
    const SpooledFile copy(path);
    return read_labels(copy.path(), options);
  }
  const std::filesystem::path unpacked = path.extension() == ".gz" ? path.stem() : path;
  const bool svmlight = unpacked.extension() == ".svm" || unpacked.extension() == ".svmlight" ||
                        unpacked.extension() == ".libsvm";
  std::error_code ignored;
  if (!svmlight && std::filesystem::exists(path, ignored)) {
    // Every binary format has a zero byte in its first bytes.
    constexpr std::size_t enough_to_see = 64;
    auto bytes = as_utf8(open_bytes(path));
    const std::string start = read_up_to(*bytes, enough_to_see);
    if (start.find('\0') == std::string::npos && !start.starts_with("%%MatrixMarket"))
      return read_text(LineReader(put_back(start, std::move(bytes))), options);
  }
  const auto source = open_source<double>(path);
  if (svmlight) return labels_of(*source);
  if (source->cols() != 1)
    throw DataError(
        fmt::format("{}: {} columns, expected one column of labels", source->name(), source->cols()));
  LabelTable table(source->name());
  Batch<double> batch;
  while (source->read(1024, batch) > 0)
    for (std::size_t i = 0; i < batch.numbers().size(); ++i) {
      if (!batch.sparse())
        table.add(batch.values()[i]);
      else if (batch.starts()[i] == batch.starts()[i + 1])
        table.add(0.0);
      else
        table.add(batch.values()[static_cast<std::size_t>(batch.starts()[i])]);
    }
  return table.finish();
}

template <class S>
Labels labels_of(Source<S>& source) {
  expect_rewindable(source);
  source.rewind();
  LabelTable table(source.name());
  add_labels(source, table);
  source.rewind();
  return table.finish();
}

template <class S>
LabelledSource<S> open_labelled(const std::filesystem::path& path, const std::string& column,
                                TableOptions options) {
  if (is_read_once(path)) {
    const SpooledFile copy(path);
    return open_labelled<S>(copy.path(), column, std::move(options));
  }
  if (column.empty()) {
    const auto source = open_source<S>(path);
    throw UsageError(
        fmt::format("{}: no column '', expected a number from 1 to {}", source->name(), source->cols()));
  }
  options.label = column;
  LabelTable table(shown_name(path));
  std::vector<SourcePtr<S>> parts;
  for (const auto& file : source_files(path, options)) parts.push_back(open_source<S>(file, options));
  // Text means something to one table alone: it numbers its classes in the order they come.
  const bool classes = std::ranges::all_of(parts, [](const SourcePtr<S>& part) {
    return dynamic_cast<const CsvSource<S>*>(part.get()) != nullptr;
  });
  if (!classes && parts.size() > 1) {
    auto joined = std::make_unique<JoinedSource<S>>(std::move(parts));
    parts.clear();
    parts.push_back(std::move(joined));
  }
  for (const auto& part : parts) {
    add_labels(*part, table);
    part->rewind();
  }
  if (parts.size() == 1) return {std::move(parts[0]), table.finish()};
  return {std::make_unique<JoinedSource<S>>(std::move(parts)), table.finish()};
}

LANDFALL_LABELS(, float)
LANDFALL_LABELS(, double)

}  // namespace landfall
