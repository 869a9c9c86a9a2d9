// A sparse matrix in compressed rows that belongs to someone else, as a source.
//
//   const std::vector<float> values{1, 2};
//   const std::vector<std::int32_t> columns{2, 0}, starts{0, 1, 2};    // 2 x 3
//   landfall::CsrSource<double> source({.values = values.data(), .type = landfall::NpyType::f4,
//                                       .columns = columns.data(), .starts = starts.data(), .rows = 2, .cols = 3});
#pragma once

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/rows/source.hpp>

#include <string>
#include <utility>
#include <vector>

namespace landfall {

/// Row i has the entries [starts[i], starts[i+1]). Columns may be in any order; entries of the same column are
/// added up. Numbers are in the byte order of this machine.
struct CsrArray {
  const void* values = nullptr;
  NpyType type = NpyType::f8;
  const void* columns = nullptr;  // of 32 bits, or of 64
  const void* starts = nullptr;   // of 32 bits, or of 64
  bool wide_columns = false, wide_starts = false;
  Index rows = 0, cols = 0;
  Index entries = -1;  // stored; -1: what starts say
  std::string name = "memory";
  std::vector<std::string> column_names = {};
};

template <class S>
class CsrSource : public Source<S> {
 public:
  /// The memory must outlive the source. UsageError for a matrix without rows or columns, DataError where starts do
  /// not ascend or go beyond the entries. Columns beyond the last are a DataError when they are read.
  explicit CsrSource(CsrArray array);

  const std::string& name() const override { return array_.name; }
  std::string_view format() const override { return "memory"; }
  std::string_view element_type() const override { return npy_type_name(array_.type); }
  std::optional<Index> rows() const override { return array_.rows; }
  Index cols() const override { return array_.cols; }
  bool sparse() const override { return true; }
  const std::vector<std::string>& column_names() const override { return array_.column_names; }

  Index read(Index count, Batch<S>& batch) override;
  void rewind() override { next_ = 0; }
  bool random_access() const override { return true; }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

 private:
  Index start(Index row) const;
  Index column(Index entry) const;
  void append(Index row, Batch<S>& batch);

  CsrArray array_;
  Index next_ = 0;
  std::vector<S> values_;
  std::vector<std::pair<Index, S>> entries_;
};

extern template class CsrSource<float>;
extern template class CsrSource<double>;

}  // namespace landfall
