#include "report/report_rows.hpp"

#include <landfall/data/io/spool.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <charconv>

#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr Index kMostRows = 2000;
constexpr Index kMostScores = 8;  // of each row and view
constexpr Index kMostDeviations = 20000;  // columns whose weights are shown in standard deviations

}  // namespace

std::vector<Index> parse_image(std::string_view text) {
  Index height = 0, width = 0;
  const char* end = text.data() + text.size();
  const auto [cross, error] = std::from_chars(text.data(), end, height);
  if (error != std::errc() || cross == end || *cross != 'x') return {};
  const auto [rest, second] = std::from_chars(cross + 1, end, width);
  constexpr Index kMost = 100'000;
  if (second != std::errc() || rest != end || height < 1 || width < 1 || height > kMost || width > kMost)
    return {};
  return {height, width};
}

Labels read_labels_of(const std::string& path, std::optional<Index> rows) {
  Labels labels = read_labels(path);
  if (is_read_once(path) || !rows || labels.rows() + 1 != *rows) return labels;
  Labels all = read_labels(path, {.header = CsvHeader::absent});
  return all.rows() == *rows ? all : labels;
}

template <class S>
ReportRows<S>::ReportRows(const ReportOptions& options, const std::vector<Source<S>*>& views,
                          const SampleOptions& sample)
    : image_(parse_image(options.image)), labels_(sample.labels) {
  for (const auto* view : views)
    if (!image_.empty() && view->cols() != image_[0] * image_[1])
      throw UsageError(fmt::format("--image {}: {} pixels, but {} has {}", options.image,
                                   image_[0] * image_[1], view->name(),
                                   counted(static_cast<std::size_t>(view->cols()), "column")));
  if (!options.labels.empty()) {
    const auto rows = views[0]->rows();
    own_labels_ = read_labels_of(options.labels, rows);
    if (rows) expect_rows(views[0]->name(), *rows);
  }
  if (!sample.kept) return;

  for (const auto* view : views) names_.push_back(view->column_names());
  const auto all = [&](auto is) { return std::all_of(views.begin(), views.end(), is); };
  if (!all([](const auto* view) { return view->rewindable(); })) return;
  rows_.resize(views.size());
  const std::uint64_t bytes = sample.memory / 64;
  std::uint64_t row_bytes = 0;
  for (const auto* view : views) row_bytes += static_cast<std::uint64_t>(view->cols()) * sizeof(S);
  const bool any_row = all([](const auto* view) { return view->random_access() && !view->sparse(); });
  if (sample.sampling == Sampling::spread && any_row)
    spread(views, std::min(kMostRows, static_cast<Index>(bytes / row_bytes)));
  else
    read_first(views, bytes);
  if (views[0]->rows()) expect_rows(views[0]->name(), *views[0]->rows());
}

template <class S>
void ReportRows<S>::expect_rows(const std::string& data, Index rows) const {
  if (own_labels_) own_labels_->expect_rows(data, rows);
}

template <class S>
void ReportRows<S>::spread(const std::vector<Source<S>*>& views, Index most) {
  Index rows = *views[0]->rows();
  for (const auto* view : views) rows = std::min(rows, *view->rows());
  const Index count = std::min(rows, most);
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i * rows / count;
  if (count == 0) return;
  for (std::size_t v = 0; v < views.size(); ++v) views[v]->read_rows(numbers, rows_[v]);
}

template <class S>
void ReportRows<S>::read_first(const std::vector<Source<S>*>& views, std::uint64_t bytes) {
  constexpr Index kBlock = 50;
  Batch<S> block;
  bool more = true;
  while (more && rows_[0].rows() < kMostRows) {
    std::uint64_t used = 0;
    for (std::size_t v = 0; v < views.size(); ++v) {
      more = views[v]->read(kBlock, block) == kBlock && more;
      if (rows_[v].cols() == 0) start_like(block, rows_[v]);
      for (Index i = 0; i < block.rows(); ++i) append_row(block, i, rows_[v]);
      used += rows_[v].values().size() * (sizeof(S) + (block.sparse() ? sizeof(Index) : 0));
    }
    if (used >= bytes) break;
  }
  for (auto* view : views) view->rewind();
}

template <class S>
Json ReportRows<S>::json(std::span<const FittedView<S>> views, const TransformOptions& transform) {
  Json data{{"columns", names_}};
  if (!image_.empty()) data["image"] = image_;

  const auto number = [](double value) { return std::stod(fmt::format("{:.5g}", value)); };
  Json sample;
  Index count = rows_.empty() ? 0 : rows_[0].rows();
  for (const auto& batch : rows_) count = std::min(count, batch.rows());
  for (std::size_t v = 0; v < views.size() && count > 0; ++v) {
    const Matrix<S>& weights = views[v].weights;
    TransformOptions rules{
        .centring = transform.centring == Centring::none ? Centring::none : Centring::exact,
        .missing = transform.missing};
    Transform<S> centre("", weights.rows(), rules);
    ColumnStatistics columns;
    columns.mean = views[v].mean;
    centre.follow(columns);
    const auto numbers = rows_[v].numbers();
    const std::vector<Index> of(numbers.begin(), numbers.begin() + count);
    CentredBatch<S> centred;
    centre.apply(rows_[v], centred);
    if (!centred.batch.sparse() && weights.rows() <= kMostDeviations && count > 1) {
      Json deviations = Json::array();
      const auto rows = centred.batch.dense().leftCols(count).template cast<double>();
      for (Index j = 0; j < weights.rows(); ++j) {
        const double mean = rows.row(j).mean(), square = (rows.row(j).array() - mean).square().mean();
        deviations.push_back(std::isfinite(square) ? Json(number(std::sqrt(square))) : Json());
      }
      data["deviations"].push_back(std::move(deviations));
    }
    const Index p = std::min(weights.cols(), kMostScores);
    Matrix<S> scores(centred.rows(), p);
    centred.times(weights.leftCols(p), scores);
    Json view = Json::array();
    for (Index j = 0; j < p; ++j) {
      Json column = Json::array();
      for (Index i = 0; i < count; ++i) {
        const double score = static_cast<double>(scores(i, j));
        column.push_back(std::isfinite(score) ? Json(number(score)) : Json());  // a missing value
      }
      view.push_back(std::move(column));
    }
    sample["views"].push_back(std::move(view));
    if (v == 0) sample["rows"] = of;
  }
  const Labels* labels = own_labels_ ? &*own_labels_ : labels_;
  if (labels && count > 0) {
    sample["classes"] = std::vector<std::string>(labels->names().begin(), labels->names().end());
    for (const auto& row : sample["rows"]) sample["labels"].push_back(labels->of(row.get<Index>()));
  }
  data["sample"] = std::move(sample);
  return data;
}

template class ReportRows<float>;
template class ReportRows<double>;

}  // namespace landfall::app
