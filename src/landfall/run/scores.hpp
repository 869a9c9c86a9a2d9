// The scores (A - mean) weights of the rows of one file, or of several whose rows belong together, in order.
//
//   #include <landfall/data/formats/open_source.hpp>
//   std::vector<landfall::ScoredView<float>> views;
//   views.push_back({landfall::open_source<float>("left.npy"), weights, landfall::Vector<double>::Zero(5)});
//   landfall::ScoreReader<float> reader(std::move(views), {.missing = landfall::Missing::drop});
//   while (reader.next(scores)) use(reader.numbers(), scores);
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/data/rows/transform.hpp>

#include <vector>

namespace landfall {

template <class S>
struct ScoredView {
  SourcePtr<S> source;
  Matrix<S> weights;
  Vector<double> mean;
};

template <class S>
class ScoreReader {
 public:
  /// The options say what to do about missing values and whether the means are subtracted.
  /// Of `ranks` readers of the same files, this one takes block rank, rank + ranks, ... of 1024 rows.
  ScoreReader(std::vector<ScoredView<S>> views, const TransformOptions& options, int rank = 0, int ranks = 1);

  /// The scores of the next rows, those of the views side by side; false at the end. Of several readers each hands out a
  /// block at a time, which may be empty. DataError: the files have different numbers of rows.
  bool next(Matrix<S>& scores);

  Index cols() const { return cols_; }
  /// The numbers of these rows in the file.
  std::span<const Index> numbers() const { return rows_.batch.numbers(); }
  Index read() const { return read_; }        // rows so far
  Index dropped() const { return dropped_; }  // of these, rows with missing values

 private:
  void read_block(std::size_t view);
  void check_rows();
  void drop_rows();

  std::vector<ScoredView<S>> views_;
  std::vector<Transform<S>> transforms_;
  int rank_, ranks_;
  Index block_ = 0;  // of all readers
  Index cols_ = 0, read_ = 0, dropped_ = 0;
  std::vector<Batch<S>> raw_;
  Batch<S> selected_;
  std::vector<char> drop_;
  CentredBatch<S> rows_;
};

extern template class ScoreReader<float>;
extern template class ScoreReader<double>;

}  // namespace landfall
