// A source that hands on another one: the base of sources that watch it or keep something alive beside it.
//
//   struct Counted : landfall::ForwardedSource<float> {
//     using ForwardedSource::ForwardedSource;
//     landfall::Index rows_read = 0;
//     landfall::Index read(landfall::Index count, landfall::Batch<float>& batch) override {
//       const landfall::Index rows = source().read(count, batch);
//       rows_read += rows;
//       return rows;
//     }
//   };
#pragma once

#include <landfall/data/rows/source.hpp>

namespace landfall {

template <class S>
class ForwardedSource : public Source<S> {
 public:
  explicit ForwardedSource(SourcePtr<S> source) : source_(std::move(source)) {}

  const std::string& name() const override { return source_->name(); }
  std::string_view format() const override { return source_->format(); }
  std::string_view element_type() const override { return source_->element_type(); }
  std::optional<Index> rows() const override { return source_->rows(); }
  Index cols() const override { return source_->cols(); }
  bool sparse() const override { return source_->sparse(); }
  std::optional<IndexRange> indices() const override { return source_->indices(); }
  void set_indices(IndexRange range) override { source_->set_indices(range); }
  Index read(Index count, Batch<S>& batch) override { return source_->read(count, batch); }
  void rewind() override { source_->rewind(); }
  bool rewindable() const override { return source_->rewindable(); }
  bool random_access() const override { return source_->random_access(); }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override { source_->read_rows(rows, batch); }
  const std::vector<std::string>& column_names() const override { return source_->column_names(); }
  std::span<const std::string> warnings() const override { return source_->warnings(); }
  std::span<const double> labels() const override { return source_->labels(); }

 protected:
  Source<S>& source() { return *source_; }
  /// Gives the source up: it is not this object's to destroy.
  void release() { (void)source_.release(); }

 private:
  SourcePtr<S> source_;
};

/// The same for a source that somebody else owns, and that outlives it.
template <class S>
class BorrowedSource final : public ForwardedSource<S> {
 public:
  explicit BorrowedSource(Source<S>& source) : ForwardedSource<S>(SourcePtr<S>(&source)) {}
  ~BorrowedSource() override { this->release(); }
};

}  // namespace landfall
