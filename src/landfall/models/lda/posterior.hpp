// How likely each class is for a row, given its scores: Gaussian classes with the covariance I, as LDA's scores have.
//
//   #include <landfall/models/lda/lda.hpp>
//   landfall::LdaResult<double> result;
//   const landfall::Matrix<double> rows = landfall::Matrix<double>::Zero(10, 2);    // scores of ten rows
//   const auto log_p = landfall::log_posteriors(rows, result.centres, result.priors);    // 10 x classes
//   use(log_p.array().exp());                                                       // each row adds up to 1
#pragma once

#include <landfall/linalg/types.hpp>

namespace landfall {

/// log(prior_c) - ||score - centre_c||^2 / 2, up to what is the same for all classes; -infinity where the prior is 0.
Matrix<double> class_scores(const Matrix<double>& scores, const Matrix<double>& centres,
                            const Vector<double>& priors);

/// The logarithms of the probabilities: class_scores() less the logarithm of the sum of their exponentials.
Matrix<double> log_posteriors(const Matrix<double>& scores, const Matrix<double>& centres,
                              const Vector<double>& priors);

}  // namespace landfall
