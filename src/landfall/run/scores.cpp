#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/scores.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr Index kRows = 1024;

}  // namespace

template <class S>
ScoreReader<S>::ScoreReader(std::vector<ScoredView<S>> views, const TransformOptions& options, int rank,
                            int ranks)
    : views_(std::move(views)), rank_(rank), ranks_(ranks), raw_(views_.size()) {
  for (const auto& view : views_) {
    transforms_.emplace_back(view.source->name(), view.source->cols(), options);
    transforms_.back().name_columns(view.source->column_names());
    ColumnStatistics columns;
    columns.mean = view.mean;
    transforms_.back().follow(columns);
    cols_ += view.weights.cols();
  }
}

template <class S>
bool ScoreReader<S>::next(Matrix<S>& scores) {
  do {
    for (std::size_t v = 0; v < views_.size(); ++v) read_block(v);
    block_ += ranks_;
    check_rows();
    read_ += raw_[0].rows();
    if (raw_[0].rows() == 0) return false;
    drop_rows();
  } while (raw_[0].rows() == 0 && ranks_ == 1);

  scores.resize(raw_[0].rows(), cols_);
  Index col = 0;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const Matrix<S>& weights = views_[v].weights;
    transforms_[v].apply(raw_[v], rows_);
    rows_.times(weights, scores.middleCols(col, weights.cols()));
    col += weights.cols();
  }
  return true;
}

/// Of the blocks in between, which are the others', only a file that must be read in order is read.
template <class S>
void ScoreReader<S>::read_block(std::size_t view) {
  Source<S>& source = *views_[view].source;
  Batch<S>& rows = raw_[view];
  if (ranks_ == 1 || !source.random_access()) {
    const Index skipped = ranks_ == 1 ? 0 : block_ == 0 ? rank_ : ranks_ - 1;
    for (Index other = 0; other < skipped; ++other) source.read(kRows, rows);
    source.read(kRows, rows);
    return;
  }
  const Index first = (block_ + rank_) * kRows;
  std::vector<Index> numbers(
      static_cast<std::size_t>(std::clamp<Index>(source.rows().value() - first, 0, kRows)));
  std::iota(numbers.begin(), numbers.end(), first);
  source.read_rows(numbers, rows);
}

template <class S>
void ScoreReader<S>::check_rows() {
  if (ranks_ > 1)  // the blocks of the others count too
    for (const auto& view : views_) {
      const auto first = views_[0].source->rows(), own = view.source->rows();
      if (first && own && *first != *own)
        throw DataError(fmt::format("{} has {} rows and {} has {}; expected the same number in both",
                                    views_[0].source->name(), *first, view.source->name(), *own));
    }
  const auto other =
      std::ranges::find_if(raw_, [&](const Batch<S>& batch) { return batch.rows() != raw_[0].rows(); });
  if (other == raw_.end()) return;
  const auto count = [&](std::size_t v) {
    Index rows = read_;
    for (Index more = raw_[v].rows(); more > 0; more = views_[v].source->read(kRows, raw_[v])) rows += more;
    return rows;
  };
  const auto v = static_cast<std::size_t>(other - raw_.begin());
  const Index first = count(0), second = count(v);
  throw DataError(fmt::format("{} has {} rows and {} has {}; expected the same number in both",
                              views_[0].source->name(), first, views_[v].source->name(), second));
}

template <class S>
void ScoreReader<S>::drop_rows() {
  drop_.assign(static_cast<std::size_t>(raw_[0].rows()), 0);
  for (std::size_t v = 0; v < raw_.size(); ++v) transforms_[v].check(raw_[v], drop_);
  const auto count = std::count(drop_.begin(), drop_.end(), 1);
  if (count == 0) return;
  dropped_ += count;
  for (Batch<S>& batch : raw_) {
    start_like(batch, selected_);
    for (std::size_t i = 0; i < drop_.size(); ++i)
      if (!drop_[i]) append_row(batch, static_cast<Index>(i), selected_);
    std::swap(batch, selected_);
  }
}

template class ScoreReader<float>;
template class ScoreReader<double>;

}  // namespace landfall
