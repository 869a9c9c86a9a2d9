// How much ridge LDA needs: the accuracy of each on rows that were not fitted.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto labels = landfall::read_labels("species.csv");
//   const auto choice = landfall::cross_validate_shrinkage<float>(landfall::open_source<float>("lengths.csv"), labels, {}, {0, 0.1, 1});
//   use(choice.ridges[choice.chosen], choice.accuracy, choice.errors);
#pragma once

#include <landfall/models/lda/lda.hpp>

namespace landfall {

struct ShrinkageChoice {
  int folds = 0;
  std::vector<double> ridges;       // relative to the variance of each column, ascending
  Vector<double> accuracy, errors;  // means over the folds, and their standard errors
  std::size_t best = 0;             // where the accuracy is largest
  std::size_t chosen = 0;           // the smallest ridge within one standard error of that
};

/// `ridges` empty: from 0 to 1. Fits once for each ridge and fold (options.folds, 5 where it is not set), by the method of the options. A ridge with which S_w is singular has an
/// accuracy of 0.
template <class S>
ShrinkageChoice cross_validate_shrinkage(SourcePtr<S> data, const Labels& labels, const LdaOptions& options,
                                         std::vector<double> ridges = {});

extern template ShrinkageChoice cross_validate_shrinkage<float>(SourcePtr<float>, const Labels&,
                                                                const LdaOptions&, std::vector<double>);
extern template ShrinkageChoice cross_validate_shrinkage<double>(SourcePtr<double>, const Labels&,
                                                                 const LdaOptions&, std::vector<double>);

}  // namespace landfall
