#include "terminal/watched_source.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace landfall::app {
namespace {

template <class S>
class WatchedSource final : public Source<S> {
 public:
  WatchedSource(SourcePtr<S> source, ProgressLine& line, std::optional<Index>* rows,
                const ReadTogether& together)
      : source_(std::move(source)), line_(line), all_rows_(rows), together_(together), began_(line.now()) {}

  const std::string& name() const override { return source_->name(); }
  std::string_view format() const override { return source_->format(); }
  std::string_view element_type() const override { return source_->element_type(); }
  std::optional<Index> rows() const override { return source_->rows(); }
  Index cols() const override { return source_->cols(); }
  bool sparse() const override { return source_->sparse(); }
  std::optional<IndexRange> indices() const override { return source_->indices(); }
  void set_indices(IndexRange range) override { source_->set_indices(range); }
  bool rewindable() const override { return source_->rewindable(); }
  bool random_access() const override { return source_->random_access(); }
  const std::vector<std::string>& column_names() const override { return source_->column_names(); }
  std::span<const std::string> warnings() const override { return source_->warnings(); }
  std::span<const double> labels() const override { return source_->labels(); }

  Index read(Index count, Batch<S>& batch) override {
    const Index rows = source_->read(count, batch);
    tell(rows);
    return rows;
  }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override {
    source_->read_rows(rows, batch);
    tell(static_cast<Index>(rows.size()));
  }
  void rewind() override {
    source_->rewind();
    seen_ = 0;
    began_ = line_.now();
  }

 private:
  void tell(Index rows) {
    seen_ += rows;
    if (all_rows_ != nullptr) *all_rows_ = source_->rows();
    line_.show_reading([&] {
      const std::optional<Index> all = source_->rows();
      const double passed = line_.now() - began_;
      Parts parts{fmt::format("reading {}", name())};
      const double of_all_ranks = static_cast<double>(seen_) * together_.ranks;
      if (all && *all > 0) {
        const Index own = std::max<Index>(*all / together_.shares, 1);
        parts.push_back(fmt::format("{} %", 100 * (seen_ % own) / own));
      } else {
        parts.push_back(count_text(of_all_ranks) + " rows");
      }
      if (passed > 0) parts.push_back(count_text(of_all_ranks / passed) + " rows/s");
      return parts;
    });
  }

  SourcePtr<S> source_;
  ProgressLine& line_;
  std::optional<Index>* all_rows_;
  ReadTogether together_;
  Index seen_ = 0;  // since the last rewind; rows in any order begin none
  double began_;
};

}  // namespace

template <class S>
SourcePtr<S> watched(SourcePtr<S> source, ProgressLine& line, std::optional<Index>* rows,
                     const ReadTogether& together) {
  return std::make_unique<WatchedSource<S>>(std::move(source), line, rows, together);
}

template SourcePtr<float> watched<float>(SourcePtr<float>, ProgressLine&, std::optional<Index>*,
                                         const ReadTogether&);
template SourcePtr<double> watched<double>(SourcePtr<double>, ProgressLine&, std::optional<Index>*,
                                           const ReadTogether&);

}  // namespace landfall::app
