#include <landfall/models/lda/posterior.hpp>

#include <cmath>

namespace landfall {

Matrix<double> class_scores(const Matrix<double>& scores, const Matrix<double>& centres,
                            const Vector<double>& priors) {
  Matrix<double> out(scores.rows(), centres.cols());
  for (Index c = 0; c < centres.cols(); ++c) {
    const double log_prior = std::log(priors(c));
    for (Index i = 0; i < scores.rows(); ++i)
      out(i, c) = log_prior - (scores.row(i).transpose() - centres.col(c)).squaredNorm() / 2;
  }
  return out;
}

Matrix<double> log_posteriors(const Matrix<double>& scores, const Matrix<double>& centres,
                              const Vector<double>& priors) {
  Matrix<double> out = class_scores(scores, centres, priors);
  for (Index i = 0; i < out.rows(); ++i) {
    const double most = out.row(i).maxCoeff();
    double sum = 0;
    for (Index c = 0; c < out.cols(); ++c) sum += std::exp(out(i, c) - most);
    out.row(i).array() -= most + std::log(sum);
  }
  return out;
}

}  // namespace landfall
