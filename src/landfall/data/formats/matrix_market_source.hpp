// Rows of a Matrix Market file (.mtx), dense or sparse, in any order.
//
//   landfall::MatrixMarketSource<double> source("X.mtx");
//   landfall::Batch<double> batch;
//   source.read(128, batch);
//   source.read_rows(std::vector<landfall::Index>{7, 3}, batch);
#pragma once

#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/data/rows/source.hpp>

namespace landfall {

/// The file is read whole when opened: its columns, or entries in any order, come before its rows. A dense
/// matrix takes rows x cols scalars. A sparse one takes a scalar and 4 bytes for each entry, 4 bytes for each
/// row, and while it is read about three times that; both triangles of a symmetric file count.
template <class S>
class MatrixMarketSource : public Source<S> {
 public:
  explicit MatrixMarketSource(const std::filesystem::path& path);

  const std::string& name() const override { return name_; }
  std::string_view format() const override { return "Matrix Market"; }
  std::string_view element_type() const override { return "text"; }
  std::optional<Index> rows() const override;
  Index cols() const override;
  bool sparse() const override { return matrix_.index() == 1; }
  Index read(Index count, Batch<S>& batch) override;
  void rewind() override { row_ = 0; }
  bool random_access() const override { return true; }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

 private:
  void start(Batch<S>& batch) const;
  void add(Index row, Batch<S>& batch) const;

  std::string name_;
  MatrixRows<S> matrix_;
  Index row_ = 0;  // the next one
};

extern template class MatrixMarketSource<float>;
extern template class MatrixMarketSource<double>;

}  // namespace landfall
