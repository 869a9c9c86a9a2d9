// Rows of a stream, pushed in batches of any size: regrouped into batches of one size, centred by the mean of what has
// come so far, and scaled by what the first ones, which are kept, say of the columns.
//
//   landfall::OnlineRows<float> rows({"left", "right"}, {.batch = 128, .first_rows = 4096});
//   rows.push({&batch, &batch});    // a batch of each view: checked, and read by next()
//   while (rows.next())
//     if (!rows.kept()) use(rows.centred()[0], rows.centred()[1]);
//
// How the rows were cut into pushes makes no difference: rows wait until a batch is full.
//
// With m and m' the means before and after a batch of r rows, n and n' = n + r their numbers, the batch is
// centred by
//   c = m + (m' - m) / (1 + sqrt(n/n')).
// Then (1 - r/n') S + (r/n') mean (a - c)(a - c)' is the covariance of all n' rows about m', exactly, where S
// was that of the first n about m: the mean may move without a trace in the covariance.
#pragma once

#include <landfall/data/rows/transform.hpp>

#include <string>

namespace landfall {

struct OnlineRowsOptions {
  Index batch = 128;                              // rows
  Index first_rows = 4096;                        // to keep, rounded up to whole batches
  std::uint64_t memory = std::uint64_t{1} << 29;  // bytes; what is kept ends where it is full
  bool keep_first = false;                        // also when they have come twice, for first_batches()
  Scaling scaling = Scaling::none;                // of the columns, by the first rows
};

template <class S>
class OnlineRows {
 public:
  /// The names are those of the views, for messages.
  OnlineRows(std::vector<std::string> names, const OnlineRowsOptions& options);

  /// Throws where a width, a number of rows or a kind is not what it was, or a number is not finite:
  /// DataError, UsageError for another kind.
  void check(const std::vector<const Batch<S>*>& views, std::span<const double> weights = {}) const;

  /// One batch of each view and the classes of the rows, if any, which must stay until next() says that
  /// nothing is left. Takes none of it where check() throws.
  /// Weights: one for each row, as RowWeights has them; none: all 1. A row of weight 0 is left out, whatever it contains. Batches are
  /// weighted by them over the mean weight of the rows so far. DataError for a weight that is negative or not finite.
  void push(const std::vector<const Batch<S>*>& views, std::span<const Index> classes = {},
            std::span<const double> weights = {});

  /// Fills the batch; false when what was pushed has come to its end before.
  bool next();

  /// Of the batch that next() filled: its rows as they came, and their classes.
  const Batch<S>& raw(std::size_t i) const { return raw_[i]; }
  std::span<const Index> classes() const { return classes_; }
  /// Their weights, as given; empty: all 1.
  std::span<const double> weights() const { return weights_; }
  /// Whether it was added to the first rows, and whether these are complete with it.
  bool kept() const { return kept_now_; }
  bool complete() const { return complete_; }
  /// The batch centred, to be swapped or changed at will; once for each batch that was not kept.
  std::vector<CentredBatch<S>>& centred();

  /// The first rows so far, also those that wait for a full batch, centred by their mean: copies, in eight pieces or more.
  std::vector<std::vector<CentredBatch<S>>> first() const;
  /// What the columns of a view are divided by, and their variance afterwards. A constant column is expected to be like the
  /// others once it varies.
  Vector<double> scale(std::size_t i) const;
  Vector<double> expected_variance(std::size_t i) const;
  /// When they are complete and have served as the first ones. They come once more, one batch of them after
  /// each new one: true where replay() has put such a batch in the place of centred().
  void release_first();
  bool replay();
  /// As they came, batch by batch.
  const std::vector<std::vector<Batch<S>>>& first_batches() const { return first_; }
  /// Their weights; empty: all 1.
  std::span<const double> first_weights(std::size_t batch) const;
  /// When they are complete but not enough: twice as many. False where memory is full.
  bool keep_more();
  /// Rows that wait for a full batch, and their classes.
  const Batch<S>& waiting(std::size_t i) const { return waiting_[i]; }
  std::span<const Index> waiting_classes() const { return waiting_classes_; }
  std::span<const double> waiting_weights() const { return waiting_weights_; }

  const std::string& name(std::size_t i) const { return names_[i]; }
  Index batch() const { return options_.batch; }
  /// Columns of a view; 0 before the first push.
  Index cols(std::size_t i) const { return started_ ? waiting_[i].cols() : 0; }
  /// Rows in full batches; with those that wait while the first rows are being kept.
  Index rows() const;
  /// Of these rows.
  ColumnStatistics columns(std::size_t i) const;
  /// Of the same; 0 where none were given.
  double sum_of_weights() const { return weighted_ ? weight_of_rows() : 0; }

  const OnlineRowsOptions& options() const { return options_; }
  /// Between two pushes, of an object with the same names.
  void state(State& state);

 private:
  void keep();
  void begin_weights();
  double weight_of_rows() const;
  void weigh(std::span<const double> weights, double scale, std::size_t first, Batch<S>& batch) const;
  ColumnStatistics expected(std::size_t i) const;
  void set(Transform<S>& transform, const Vector<double>& mean, const Vector<double>& scale) const;

  std::vector<std::string> names_;
  OnlineRowsOptions options_;
  std::vector<RunningStatistics<S>> statistics_;
  std::vector<Transform<S>> transforms_;
  std::vector<Vector<double>> means_;   // after the batches so far
  std::vector<Vector<double>> scales_;  // by the first rows, once they are complete

  bool started_ = false, complete_ = false, kept_now_ = false;
  std::vector<const Batch<S>*> pushed_;
  std::span<const Index> pushed_classes_;
  std::span<const double> pushed_weights_;
  Index at_ = 0;  // the next row of what was pushed

  std::vector<Batch<S>> waiting_, raw_;
  std::vector<Index> waiting_classes_, classes_;
  bool weighted_ = false;  // weights were given, of these rows or of earlier ones
  std::vector<double> waiting_weights_, weights_;
  std::vector<std::vector<double>> first_weights_;  // of each batch
  double weight_ = 0;                               // of the rows in full batches
  std::vector<CentredBatch<S>> centred_;
  std::vector<std::vector<Batch<S>>> first_;
  std::size_t replayed_ = 0;  // batches of the first rows
  std::uint64_t first_bytes_ = 0;
  Index first_count_ = 0;
};

extern template class OnlineRows<float>;
extern template class OnlineRows<double>;

}  // namespace landfall
