// Blocks of rows, one after the other, as one source: blocks of a generator, slices of a dataset, batches of a
// table.
//
//   #include <landfall/data/rows/memory_source.hpp>
//   const auto begin = [] {
//     return [k = 0]() mutable -> landfall::SourcePtr<float> {    // called until it returns null
//       if (++k > 10) return nullptr;
//       return std::make_unique<landfall::MemorySource<float>>(landfall::RowMatrix<float>::Random(100, 5));
//     };
//   };
//   landfall::BlockSource<float> source("ten blocks", begin);       // begin() is called for each reading
#pragma once

#include <landfall/data/rows/source.hpp>

#include <functional>
#include <string>

namespace landfall {

/// The next block, or null at the end.
template <class S>
using NextBlock = std::function<SourcePtr<S>()>;

template <class S>
class BlockSource : public Source<S> {
 public:
  /// Reads the first block to know the columns: DataError where there is none. Every call of begin() must yield
  /// the same rows; `rows` where their number is known.
  BlockSource(std::string name, std::function<NextBlock<S>()> begin, std::optional<Index> rows = {});

  const std::string& name() const override { return name_; }
  std::string_view format() const override { return "blocks"; }
  std::string_view element_type() const override { return element_type_; }
  std::optional<Index> rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  bool sparse() const override { return sparse_; }
  const std::vector<std::string>& column_names() const override { return column_names_; }

  /// DataError: a block has other columns than the first, or the rows are fewer or more than at first.
  Index read(Index count, Batch<S>& batch) override;
  void rewind() override;

 private:
  bool next_block();

  std::string name_;
  std::function<NextBlock<S>()> begin_;
  std::optional<Index> rows_;
  NextBlock<S> next_;
  SourcePtr<S> block_;  // the open one; null at the end
  bool fresh_ = true;   // nothing was read from the first block
  Index row_ = 0;       // the next one
  Index blocks_ = 0;    // so far
  std::string element_type_;
  Index cols_ = 0;
  bool sparse_ = false;
  std::vector<std::string> column_names_;
  Batch<S> piece_;
};

extern template class BlockSource<float>;
extern template class BlockSource<double>;

}  // namespace landfall
