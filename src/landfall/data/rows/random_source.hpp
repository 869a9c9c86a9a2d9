// What sources of dense rows at known places have in common: in order or in any order, they fetch rows by
// number.
//
//   class Zeros : public landfall::RandomSource<double> {
//     void fetch(std::span<const landfall::Index> rows, landfall::Batch<double>& batch) override {
//       for (const auto row : rows) batch.add_row(row);
//     }
//    public:
//     Zeros() : RandomSource("zeros", 10, 3) {}
//     std::string_view format() const override { return "zeros"; }
//     std::string_view element_type() const override { return "f8"; }
//   };
#pragma once

#include <landfall/data/rows/source.hpp>

namespace landfall {

template <class S>
class RandomSource : public Source<S> {
 public:
  const std::string& name() const override { return name_; }
  std::optional<Index> rows() const override { return rows_; }
  Index cols() const override { return cols_; }

  Index read(Index count, Batch<S>& batch) override;
  void rewind() override { next_ = 0; }
  bool random_access() const override { return true; }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

 protected:
  RandomSource(std::string name, Index rows, Index cols) : name_(std::move(name)), rows_(rows), cols_(cols) {}

 private:
  /// Adds these rows, which exist, to the batch.
  virtual void fetch(std::span<const Index> rows, Batch<S>& batch) = 0;

  std::string name_;
  Index rows_, cols_, next_ = 0;
  std::vector<Index> numbers_;
};

extern template class RandomSource<float>;
extern template class RandomSource<double>;

}  // namespace landfall
