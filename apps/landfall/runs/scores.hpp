// Rows of one file, or of two that belong together, in their order, as scores (A - mean) weights.
//
//   std::vector<ScoredView<float>> views;
//   views.push_back({std::move(source), weights, mean});
//   ScoreReader<float> reader(std::move(views), {.missing = Missing::drop});
//   Matrix<float> scores;
//   while (reader.next(scores)) use(reader.numbers(), scores);
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/data/rows/transform.hpp>

#include <vector>

namespace landfall::app {

template <class S>
struct ScoredView {
  SourcePtr<S> source;
  Matrix<S> weights;
  Vector<double> mean;
};

template <class S>
class ScoreReader {
 public:
  /// The transform says what to do about missing values, and whether the means count.
  ScoreReader(std::vector<ScoredView<S>> views, const TransformOptions& options);

  /// The next rows, those of the views side by side; false at the end. DataError where the files differ in
  /// their numbers of rows.
  bool next(Matrix<S>& scores);

  Index cols() const { return cols_; }
  /// Of the last rows, in the file.
  std::span<const Index> numbers() const { return rows_.batch.numbers(); }
  Index read() const { return read_; }        // rows so far
  Index dropped() const { return dropped_; }  // of these, for their missing values

 private:
  void check_rows();
  void drop_rows();

  std::vector<ScoredView<S>> views_;
  std::vector<Transform<S>> transforms_;
  Index cols_ = 0, read_ = 0, dropped_ = 0;
  std::vector<Batch<S>> raw_;
  Batch<S> selected_;
  std::vector<char> drop_;
  CentredBatch<S> rows_;
};

extern template class ScoreReader<float>;
extern template class ScoreReader<double>;

}  // namespace landfall::app
