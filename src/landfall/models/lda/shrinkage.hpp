// How much ridge LDA needs, and how many directions: the accuracy of each on rows that were not fitted.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto labels = landfall::read_labels("species.csv");
//   const auto choice = landfall::cross_validate_shrinkage<float>(landfall::open_source<float>("lengths.csv"), labels, {}, {0, 0.1, 1});
//   use(choice.ridges[choice.chosen], choice.components[choice.directions], choice.accuracy, choice.errors);
#pragma once

#include <landfall/models/lda/lda.hpp>

namespace landfall {

struct ShrinkageChoice {
  int folds = 0;
  std::vector<double> ridges;     // relative to the variance of each column, ascending
  std::vector<Index> components;  // numbers of directions, ascending
  Matrix<double> accuracy,
      errors;  // means over the folds, and their standard errors: a row for each number, a column for each ridge
  std::size_t best = 0;    // the ridge where the accuracy of most directions is largest
  std::size_t chosen = 0;  // the smallest ridge within one standard error of that
  std::size_t directions =
      0;  // with it: the smallest number within one standard error of its best, in components
};

/// `ridges` empty: from 0 to 1. In options.folds folds, 5 where it is not set. Where the covariances of the folds fit in options.memory the rows are read four times for all
/// ridges and numbers of directions (fold_discriminants.hpp). Otherwise, and where options.method is landing, a fit is made for each ridge and fold, with
/// options.components directions only. A ridge with which S_w is singular has an accuracy of 0.
template <class S>
ShrinkageChoice cross_validate_shrinkage(SourcePtr<S> data, const Labels& labels, const LdaOptions& options,
                                         std::vector<double> ridges = {});

/// The number of directions that this chooses with options.relative_ridge, or, where there is none, with the ridge that it chooses.
template <class S>
Index real_directions(Source<S>& data, const Labels& labels, const LdaOptions& options);

extern template Index real_directions<float>(Source<float>&, const Labels&, const LdaOptions&);
extern template Index real_directions<double>(Source<double>&, const Labels&, const LdaOptions&);
extern template ShrinkageChoice cross_validate_shrinkage<float>(SourcePtr<float>, const Labels&,
                                                                const LdaOptions&, std::vector<double>);
extern template ShrinkageChoice cross_validate_shrinkage<double>(SourcePtr<double>, const Labels&,
                                                                 const LdaOptions&, std::vector<double>);

}  // namespace landfall
