#include <landfall/data/formats/svmlight_source.hpp>
#include <landfall/data/formats/text.ipp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <limits>

namespace landfall {
namespace {

using text::parse;
using text::shown;

// What svmlight and libsvm count to. A larger index is a broken file, not a wide one.
constexpr Index last_index = std::numeric_limits<int>::max();

/// The index before a colon; -1 when there is none.
Index index_before(std::string_view line, std::size_t colon) {
  const std::size_t space = line.find_last_of(text::spaces, colon);
  const std::size_t start = space == std::string_view::npos ? 0 : space + 1;
  Index index = 0;
  return parse(line.substr(start, colon - start), index) && index >= 0 && index <= last_index ? index : -1;
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}

bool space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

template <class S>
SvmlightSource<S>::SvmlightSource(const std::filesystem::path& path, SvmlightOptions options)
    : SvmlightSource(LineReader(path), options) {}

template <class S>
SvmlightSource<S>::SvmlightSource(LineReader lines, SvmlightOptions options) : lines_(std::move(lines)) {
  if (options.first_index && *options.first_index != 0 && *options.first_index != 1)
    throw UsageError(fmt::format("{}: first index {}, expected 0 or 1", name(), *options.first_index));
  if (options.cols && (*options.cols < 1 || *options.cols > last_index))
    throw UsageError(fmt::format("{}: {} columns, expected 1 to {}", name(), *options.cols, last_index));
  if (!options.cols && !lines_.rewindable())
    throw UsageError(fmt::format("{}: the number of columns must be given", name()));
  first_ = options.first_index.value_or(1);
  cols_ = options.cols.value_or(0);
  if ((!options.cols || !options.first_index) && lines_.rewindable()) scan(options);
}

/// The first reading: rows, the largest index, and whether one is 0. Indices ascend, so that the first and
/// the last of a line are enough; whether they do is checked when the rows are read.
template <class S>
void SvmlightSource<S>::scan(const SvmlightOptions& options) {
  Index smallest = 1, largest = -1, count = 0;
  for (; next_row(); ++count) {
    const std::size_t last = line_.rfind(':');
    if (last == std::string_view::npos) continue;
    std::size_t first = line_.find(':');
    if (line_.substr(0, first).ends_with("qid")) {
      if (first == last) continue;
      first = line_.find(':', first + 1);
    }
    const Index low = index_before(line_, first), high = index_before(line_, last);
    if (low < 0 || high < 0) {  // something is wrong in this line: reading it says what
      cols_ = last_index;
      first_ = 0;
      Batch<S> batch;
      batch.start_sparse(cols_);
      parse_row(batch);
    }
    smallest = std::min(smallest, low);
    largest = std::max(largest, high);
  }
  if (count == 0) throw DataError(fmt::format("{}: empty, expected lines 'label index:value ...'", name()));
  if (!options.first_index) first_ = smallest;
  if (!options.cols) {
    cols_ = largest - first_ + 1;
    if (cols_ < 1)
      throw DataError(fmt::format("{}: no entry in any row, expected the number of columns", name()));
  }
  found_ = !options.cols && !options.first_index;
  rewind();
  rows_ = count;
}

template <class S>
std::optional<IndexRange> SvmlightSource<S>::indices() const {
  if (!found_) return std::nullopt;
  return IndexRange{first_, first_ + cols_ - 1};
}

template <class S>
void SvmlightSource<S>::set_indices(IndexRange indices) {
  first_ = indices.first;
  cols_ = indices.last - indices.first + 1;
}

template <class S>
bool SvmlightSource<S>::next_row() {
  while (const auto line = lines_.next()) {
    line_ = line->substr(0, line->find('#'));
    if (!text::blank(line_)) return true;
  }
  return false;
}

template <class S>
void SvmlightSource<S>::fail(Index entry, const std::string& what) const {
  throw DataError(entry == 0
                      ? fmt::format("{}: line {}: {}", name(), lines_.number(), what)
                      : fmt::format("{}: line {}, entry {}: {}", name(), lines_.number(), entry, what));
}

template <class S>
void SvmlightSource<S>::parse_row(Batch<S>& batch) {
  std::string_view rest = line_;
  const std::string_view word = text::take_word(rest);
  double label = 0;
  if (!parse(word, label)) fail(0, fmt::format("label '{}' is not a number", shown(word)));
  Index qid = -1;
  const std::size_t start = rest.find_first_not_of(text::spaces);
  if (start != std::string_view::npos && rest.substr(start).starts_with("qid:")) {
    const std::string_view query = text::take_word(rest);
    if (!parse(query.substr(4), qid) || qid < 0)
      fail(0, fmt::format("'{}', expected 'qid:' and a number from 0", shown(query)));
  }
  labels_.push_back(label);
  qids_.push_back(qid);

  const char* at = rest.data();
  const char* const end = at + rest.size();
  const Index last = first_ + cols_ - 1;
  Index before = first_ - 1;
  for (Index entry = 1;; ++entry) {
    while (at != end && space(*at)) ++at;
    if (at == end) break;
    const auto this_word = [&] {
      std::string_view tail(at, static_cast<std::size_t>(end - at));
      return text::take_word(tail);
    };
    // At most eleven digits are added up: more cannot be in range, and could overflow.
    Index index = 0;
    const char* cursor = at;
    while (cursor != end && digit(*cursor) && cursor - at < 11) index = 10 * index + (*cursor++ - '0');
    const bool more_digits = cursor != end && digit(*cursor);
    while (cursor != end && digit(*cursor)) ++cursor;
    if (cursor == at || cursor == end || *cursor != ':')
      fail(entry, fmt::format("'{}', expected 'index:value'", shown(this_word())));
    if (found_ && !more_digits && index > last)  // the last index of every line is in range
      fail(entry, fmt::format("index {} before a smaller one, expected ascending indices", index));
    if (more_digits || index < first_ || index > last)
      fail(entry,
           fmt::format("index {}, expected {} to {}",
                       shown(std::string_view(at, static_cast<std::size_t>(cursor - at))), first_, last));
    if (index == before) fail(entry, fmt::format("index {} twice", index));
    if (index < before)
      fail(entry, fmt::format("index {} after {}, expected ascending indices", index, before));
    before = index;
    ++cursor;
    S value = 0;
    const auto result = text::read_number(cursor, end, value);
    if (result.ec != std::errc::invalid_argument && (result.ptr == end || space(*result.ptr))) {
      at = result.ptr;
    } else {
      const std::string_view whole = this_word();
      const std::string_view number = whole.substr(static_cast<std::size_t>(cursor - at));
      if (!parse(number, value)) fail(entry, fmt::format("'{}' is not a number", shown(number)));
      at += whole.size();
    }
    batch.add_entry(index - first_, value);
  }
}

template <class S>
Index SvmlightSource<S>::read(Index count, Batch<S>& batch) {
  batch.start_sparse(cols_);
  labels_.clear();
  qids_.clear();
  while (batch.rows() < count) {
    if (!next_row()) {
      if (row_ == 0)
        throw DataError(fmt::format("{}: empty, expected lines 'label index:value ...'", name()));
      rows_ = row_;
      break;
    }
    batch.add_sparse_row(row_);
    parse_row(batch);
    ++row_;
  }
  if (std::all_of(qids_.begin(), qids_.end(), [](Index qid) { return qid < 0; })) qids_.clear();
  return batch.rows();
}

template <class S>
void SvmlightSource<S>::rewind() {
  lines_.rewind();
  row_ = 0;
  labels_.clear();
  qids_.clear();
}

template <class S>
struct SvmlightWriter<S>::File {
  explicit File(const std::filesystem::path& path) : text(path) {}
  text::TextFile text;
};

template <class S>
SvmlightWriter<S>::SvmlightWriter(const std::filesystem::path& path, std::optional<Index> cols)
    : file_(std::make_unique<File>(path)), cols_(cols) {}

template <class S>
SvmlightWriter<S>::~SvmlightWriter() = default;

template <class S>
void SvmlightWriter<S>::write(const Batch<S>& batch, std::span<const double> labels,
                              std::span<const Index> qids) {
  const auto rows = static_cast<std::size_t>(batch.rows());
  if ((!labels.empty() && labels.size() != rows) || (!qids.empty() && qids.size() != rows))
    throw UsageError(fmt::format("{} labels and {} query numbers for {} rows, expected one each or none",
                                 labels.size(), qids.size(), rows));
  for (std::size_t i = 0; i < rows; ++i) {
    file_->text.print("{}", labels.empty() ? 0.0 : labels[i]);
    if (!qids.empty() && qids[i] >= 0) file_->text.print(" qid:{}", qids[i]);
    Index last = 0;
    each_entry(batch, static_cast<Index>(i), [&](Index col, S value) {
      last = col + 1;
      file_->text.print(" {}:{}", last, value);
    });
    if (cols_ && last < *cols_) file_->text.print(" {}:0", *cols_);
    cols_.reset();
    file_->text.print("\n");
  }
}

template <class S>
void SvmlightWriter<S>::commit() {
  file_->text.commit();
}

template <class S>
void write_svmlight(const std::filesystem::path& path, const Eigen::SparseMatrix<S, Eigen::RowMajor>& matrix,
                    std::span<const double> labels, std::span<const Index> qids) {
  Batch<S> batch;
  batch.start_sparse(matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) {
    batch.add_sparse_row(i);
    for (typename Eigen::SparseMatrix<S, Eigen::RowMajor>::InnerIterator entry(matrix, i); entry; ++entry)
      batch.add_entry(entry.col(), entry.value());
  }
  SvmlightWriter<S> writer(path);
  writer.write(batch, labels, qids);
  writer.commit();
}

LANDFALL_SVMLIGHT(, float)
LANDFALL_SVMLIGHT(, double)

}  // namespace landfall
