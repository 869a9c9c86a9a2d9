// Contrasts g of independent component analysis: E g(y) of a unit-variance y tells it from a Gaussian one.
//
//   landfall::Vector<double> u = landfall::Vector<double>::Random(1000), slope(1000);
//   const auto sums = landfall::apply_contrast<double>(landfall::Contrast::logcosh, u, 1.0, slope);
//   use(sums.value, sums.curvature, slope);    // sum g(u), sum g''(u), g'(u)
//
//   auto weights = std::make_shared<landfall::Vector<double>>(landfall::Vector<double>::Ones(5));
//   auto objective = landfall::contrast_objective<double>(landfall::Contrast::logcosh, weights);
#pragma once

#include <landfall/landing/samples.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/models/fit/options.hpp>

#include <span>
#include <string_view>

namespace landfall {

std::string_view to_string(Contrast contrast);
Contrast parse_contrast(std::string_view name);

/// E g of a standard Gaussian.
double gaussian_value(Contrast contrast);

/// sqrt(N) times the standard error of the mean of g over N numbers of a Gaussian source that are scaled to unit variance: of what is
/// left of g once 1 and y^2 are taken out.
double gaussian_deviation(Contrast contrast);

/// The sign of E g''(y) - E g'(y) y for super-Gaussian y, such as the Laplace distribution.
double super_gaussian_sign(Contrast contrast);

/// slope = weight g'(u); the sums are without the weight.
template <class S>
ContrastSums apply_contrast(Contrast contrast, const Eigen::Ref<const Vector<S>>& u, S weight,
                            Eigen::Ref<Vector<S>> slope);

/// The same for u that have been multiplied by the roots r of their weights: slope = weight r g'(u/r), and the sums are
/// weighted by r^2.
template <class S>
ContrastSums apply_contrast(Contrast contrast, const Eigen::Ref<const Vector<S>>& u, std::span<const S> roots,
                            S weight, Eigen::Ref<Vector<S>> slope);

/// f = mean sum_j w_j g(a_i'x_j). The weights may change between runs, not within one.
template <class S>
ScoreObjective<S> contrast_objective(Contrast contrast, std::shared_ptr<const Vector<S>> weights);

#define LANDFALL_CONTRAST(EXTERN, S)                                                              \
  EXTERN template ContrastSums apply_contrast<S>(Contrast, const Eigen::Ref<const Vector<S>>&, S, \
                                                 Eigen::Ref<Vector<S>>);                          \
  EXTERN template ContrastSums apply_contrast<S>(Contrast, const Eigen::Ref<const Vector<S>>&,    \
                                                 std::span<const S>, S, Eigen::Ref<Vector<S>>);   \
  EXTERN template ScoreObjective<S> contrast_objective<S>(Contrast, std::shared_ptr<const Vector<S>>);
LANDFALL_CONTRAST(extern, float)
LANDFALL_CONTRAST(extern, double)

}  // namespace landfall
