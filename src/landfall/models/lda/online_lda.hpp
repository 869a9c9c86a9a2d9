// Linear discriminant analysis of endless streams: rows arrive in a stream, an ordered result at any time, classes
// that appear when they do.
//
//   landfall::OnlineLda<float> model({.components = 2});
//   const std::vector<std::string> labels(100, "setosa");    // as many as there are rows
//   model.partial_fit(batch, labels);                         // any number of rows, any number of times
//   const auto result = model.result();
//   for (const landfall::Index c : landfall::predict(result, batch)) use(result.classes[c]);
//
// As OnlineCca: first rows that are kept, then one step of landing for each batch. The means of the classes
// are those of all rows so far, n x C numbers, so S_b has no noise but that of the rows themselves.
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/models/fit/online_landing.hpp>
#include <landfall/models/lda/discriminant.hpp>
#include <landfall/models/lda/lda.hpp>
#include <landfall/parallel/cancel.hpp>

#include <map>

namespace landfall {

/// Defaults as LdaOptions; p = one less than there are classes among the first rows. Where p is given, more of
/// them are kept until there are p + 1 classes among them.
using OnlineLdaOptions = OnlineOptions;

template <class S>
class OnlineLda {
 public:
  explicit OnlineLda(const OnlineLdaOptions& options = {});

  /// Rows, dense or sparse, always of the same width, and the names of their classes; none is nothing. Where
  /// an error is thrown for what is in them, none of them was taken.
  /// Weights: one for each row, as in a planned fit (models.md); none: all 1. Cancelled between two batches: the rows before were taken.
  void partial_fit(const Batch<S>& rows, std::span<const std::string> labels,
                   std::span<const double> weights = {}, const CancelFlag& cancel = {});
  /// The same with the labels of a whole file, by the numbers of the rows.
  void partial_fit(const Batch<S>& rows, const Labels& labels, std::span<const double> weights = {});

  /// What is known so far; classes are in the order they came. Rows that wait for a batch to be full, fewer
  /// than one batch, do not count once the first rows are complete. No row is looked at again, so the
  /// training accuracy is NaN. UsageError before the first row and where p is above C - 1, DataError while
  /// there is one class alone, NumericalError before the rows have rank p.
  LdaResult<S> result() const;

  /// As OnlineCca::state().
  void state(State& state);

 private:
  /// Sums of the rows of each class, with their weights. Each has rows: they are numbered as they come.
  struct Sums {
    Matrix<double> rows;  // n x C
    Vector<double> counts;
    void add(const Batch<S>& batch, std::span<const Index> classes, std::span<const double> weights);
  };

  ClassMeans means() const;
  Matrix<S> between_factor() const;
  void begin();
  Index components(Index classes) const;
  OnlineRidge choose_ridge() const;
  std::unique_ptr<SubspaceLanding<S>> start(const std::shared_ptr<Matrix<S>>& between,
                                            const OnlineRidge& ridge, bool more) const;
  LdaResult<S> finish(const SubspaceLanding<S>& landing, const OnlineRidge& ridge, Index p) const;

  OnlineLdaOptions options_;
  std::optional<OnlineRows<S>> rows_;
  std::map<std::string, Index> numbers_;
  std::vector<std::string> names_;
  Sums sums_;                                    // of full batches
  Sums first_sums_;                              // of the first rows, once they are complete
  std::shared_ptr<Matrix<S>> between_;           // F with S_b = F F', of all rows so far, as landing sees it
  std::unique_ptr<SubspaceLanding<S>> landing_;  // once the first rows are complete
  OnlineRidge ridge_ = {};                       // from then on, as p
  Index p_ = 0;
};

extern template class OnlineLda<float>;
extern template class OnlineLda<double>;

}  // namespace landfall
