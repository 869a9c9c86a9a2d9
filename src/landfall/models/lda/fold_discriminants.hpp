// Discriminants of all folds of the rows but one, from sums that are taken once: what LDA with each ridge and each number of directions predicts for rows that
// were not fitted.
//
//   #include <landfall/data/formats/open_source.hpp>
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.transform = {.scaling = landfall::Scaling::deviation}});
//   const auto labels = landfall::read_labels("species.csv");
//   const landfall::Matrix<double> right = landfall::fold_accuracy<float>(stream, labels, {.ridges = {0, 0.1, 1}, .folds = 5, .seed = seed})[1];
//   use(right);    // of two directions: a row for each fold, a column for each ridge
//
// The rows are read three times, whatever the number of folds and ridges: for the means of the classes, for the deviations from these within each fold, and to
// classify them. S_w of the rows to fit is that of all rows less the fold's, with the means of its classes moved to their own; one
// decomposition of it serves all ridges.
#pragma once

#include <landfall/models/lda/discriminant.hpp>

#include <vector>

namespace landfall {

struct FoldGrid {
  std::vector<double> ridges;  // relative to the variance of each column
  int folds = 5;
  std::uint64_t seed = 0;  // of fold_of()
  Index components = 0;    // the most directions; 0: one less than classes, or the number of columns
};

/// The share of the rows of each fold (row) that are classified right with each ridge (column) by the first 1, 2, ... directions. A ridge
/// with which S_w is singular without one of the folds has 0 for all. A fold without rows, or without which there is only one class, is left out.
template <class S>
std::vector<Matrix<double>> fold_accuracy(DataStream<S>& stream, const Labels& labels, const FoldGrid& grid);

extern template std::vector<Matrix<double>> fold_accuracy<float>(DataStream<float>&, const Labels&,
                                                                 const FoldGrid&);
extern template std::vector<Matrix<double>> fold_accuracy<double>(DataStream<double>&, const Labels&,
                                                                  const FoldGrid&);

}  // namespace landfall
