// A source without one of its columns, which are the labels of its rows.
//
//   #include <landfall/data/formats/open_source.hpp>
//   landfall::WithoutColumn<float> rest(landfall::open_source<float>("iris.npy"), "5");
//   use(rest.cols(), rest.labels());        // 4, and the fifth column of the last batch
#pragma once

#include <landfall/data/rows/source.hpp>

namespace landfall {

template <class S>
class WithoutColumn : public Source<S> {
 public:
  /// The column by name where there are names, or by number from 1; UsageError when there is none, DataError
  /// when there is no other.
  WithoutColumn(SourcePtr<S> whole, const std::string& column);

  const std::string& name() const override { return whole_->name(); }
  std::string_view format() const override { return whole_->format(); }
  std::string_view element_type() const override { return whole_->element_type(); }
  std::optional<Index> rows() const override { return whole_->rows(); }
  Index cols() const override { return whole_->cols() - 1; }
  bool sparse() const override { return whole_->sparse(); }

  Index read(Index count, Batch<S>& batch) override;
  void rewind() override { whole_->rewind(); }
  bool rewindable() const override { return whole_->rewindable(); }
  bool random_access() const override { return whole_->random_access(); }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

  const std::vector<std::string>& column_names() const override { return names_; }
  std::span<const double> labels() const override { return labels_; }

 private:
  void split(Batch<S>& batch);

  SourcePtr<S> whole_;
  Index column_ = 0;
  std::vector<std::string> names_;
  Batch<S> rows_;
  std::vector<double> labels_;
};

extern template class WithoutColumn<float>;
extern template class WithoutColumn<double>;

}  // namespace landfall
