// Several sources one after the other as one, such as the files of a folder.
//
//   #include <landfall/data/formats/open_source.hpp>
//   std::vector<landfall::SourcePtr<double>> parts;
//   for (const char* file : {"part1.npy", "part2.npy"}) parts.push_back(landfall::open_source<double>(file));
//   landfall::JoinedSource<double> source(std::move(parts));
#pragma once

#include <landfall/data/rows/source.hpp>

#include <string>
#include <vector>

namespace landfall {

template <class S>
class JoinedSource : public Source<S> {
 public:
  /// At least one, all of the same number of columns, and of the same names of columns where there are names.
  /// Files whose width is only what their indices tell have that of the widest, and count from 0 if one does.
  /// Sparse when all are.
  explicit JoinedSource(std::vector<SourcePtr<S>> parts);

  const std::string& name() const override { return name_; }
  std::string_view format() const override { return format_; }              // "mixed" where the parts differ
  std::string_view element_type() const override { return element_type_; }  // also
  std::optional<Index> rows() const override;
  Index cols() const override { return parts_.front()->cols(); }
  bool sparse() const override { return sparse_; }
  std::optional<IndexRange> indices() const override;
  void set_indices(IndexRange indices) override;

  Index read(Index count, Batch<S>& batch) override;
  void rewind() override;
  bool rewindable() const override;
  bool random_access() const override;
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

  const std::vector<std::string>& column_names() const override { return parts_.front()->column_names(); }
  std::span<const std::string> warnings() const override { return warnings_; }
  std::span<const double> labels() const override;

 private:
  void share_indices();
  void start(Batch<S>& batch);
  void append(std::size_t part, Index first_row, Batch<S>& batch);

  std::vector<SourcePtr<S>> parts_;
  std::string name_, format_, element_type_;
  std::vector<std::string> warnings_;  // of the first part: the others are like it
  bool sparse_ = true;
  std::size_t current_ = 0;
  Index before_ = 0;  // rows of the parts before the current one
  Index read_in_part_ = 0;
  Batch<S> piece_;
  std::vector<Index> starts_, wanted_;
  std::vector<double> labels_;
  bool labelled_ = false;  // every row of the last batch has a label
};

extern template class JoinedSource<float>;
extern template class JoinedSource<double>;

}  // namespace landfall
