// Rows with classes become means of classes and moments within and between them: what LDA is made of.
//
//   #include <landfall/data/formats/open_source.hpp>
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.batch = 1024});
//   const auto labels = landfall::read_labels("species.csv");
//   const auto classes = landfall::class_means<float>(stream, labels);
//   auto moments = landfall::discriminant_moments<float>(stream, labels, classes, weights);
//   auto rotation = landfall::discriminant_rotation(moments, 2);
//   use(rotation.eigenvalues, rotation.vectors);    // weights * vectors: ordered, uncorrelated
#pragma once

#include <landfall/data/formats/labels.hpp>
#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/samples.hpp>

namespace landfall {

/// Of the training rows as the stream hands them out: centred, columns that were dropped left out.
struct ClassMeans {
  Matrix<double> means;   // n x C; zeros where a class has no row
  Vector<double> priors;  // shares of the rows, or of their weights
  Index rows = 0;

  /// Classes that have rows.
  Index present() const { return (priors.array() > 0).count(); }
};

/// One pass. DataError where a row has no label.
template <class S>
ClassMeans class_means(DataStream<S>& stream, const Labels& labels);

/// S_b = M diag(priors) M' from the means M, n x n.
template <class S>
Matrix<S> between_covariance(const ClassMeans& classes);

/// f = -1/2 tr X'S_b X. S_b is of low rank and known, so f and its gradient have no noise.
template <class S>
ScoreObjective<S> between_objective(const ClassMeans& classes);

/// Of the scores a = X'row: within = mean of (a - mean of its class)(...)', which no cancellation spoils
/// where classes are far apart; between = that of the means of the classes.
struct DiscriminantMoments {
  Matrix<double> within, between;
  Index rows = 0;
};

/// Over the training rows, without a ridge. With `columns` also the mean of a (s - mean of its class)' for the columns a and the
/// scores s, n x k, in the same pass.
template <class S>
DiscriminantMoments discriminant_moments(DataStream<S>& stream, const Labels& labels,
                                         const ClassMeans& classes, In<S> x,
                                         Matrix<double>* columns = nullptr);

struct DiscriminantRotation {
  Vector<double> eigenvalues;  // lambda of between u = lambda within u, descending
  Matrix<double> vectors;      // U with U' within U = I
};

/// The leading p. Throws NumericalError when the classes do not vary in p directions.
DiscriminantRotation discriminant_rotation(const DiscriminantMoments& moments, Index p);

/// For each row of scores the most likely class: the least ||score - centre||^2 - 2 log prior, of those with a
/// positive prior.
std::vector<Index> nearest_centres(const Matrix<double>& scores, const Matrix<double>& centres,
                                   const Vector<double>& priors);

#define LANDFALL_DISCRIMINANT(EXTERN, S)                                                     \
  EXTERN template ClassMeans class_means<S>(DataStream<S>&, const Labels&);                  \
  EXTERN template Matrix<S> between_covariance<S>(const ClassMeans&);                        \
  EXTERN template ScoreObjective<S> between_objective<S>(const ClassMeans&);                 \
  EXTERN template DiscriminantMoments discriminant_moments<S>(DataStream<S>&, const Labels&, \
                                                              const ClassMeans&, In<S>, Matrix<double>*);
LANDFALL_DISCRIMINANT(extern, float)
LANDFALL_DISCRIMINANT(extern, double)

}  // namespace landfall
