// Covariances of any number of views in one pass over a stream: for methods that can afford n x n.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.batch = 1024});
//   auto covariances = landfall::covariances<float>(stream);
//   use(covariances.within[0], covariances.within[1], covariances.cross(0, 1));
#pragma once

#include <landfall/data/rows/stream.hpp>

namespace landfall {

template <class S>
struct Covariances {
  std::vector<Matrix<S>> within;   // of each view
  std::vector<Matrix<S>> between;  // of view i with view j > i: (0, 1), (0, 2), (1, 2), (0, 3), ...
  Index rows = 0;

  /// Of the columns of view i with those of view j, i < j.
  const Matrix<S>& cross(std::size_t i, std::size_t j) const { return between[j * (j - 1) / 2 + i]; }
};

enum class Products { single, exact };  // of rows in single precision: in that, or in that of the sum

/// Over the training rows, columns that were dropped left out, summed in precision Sum. A batch of sparse rows
/// is written out. Single products, which are summed over one batch only, are twice as fast; they are for covariances
/// with a ridge, whose small eigenvalues do not matter.
template <class S, class Sum = S>
Covariances<Sum> covariances(DataStream<S>& stream, Products products = Products::exact);

/// Of the scores X'a of each view, in double precision. X'SX of a covariance S has the rounding of its largest variance; this has
/// that of the scores. For few columns X.
template <class S>
Covariances<double> score_covariances(DataStream<S>& stream, const Point<double>& x);

extern template Covariances<double> score_covariances<float>(DataStream<float>&, const Point<double>&);
extern template Covariances<double> score_covariances<double>(DataStream<double>&, const Point<double>&);

/// The covariances of the rows of one fold (fold_of() of shuffle.hpp), and their means.
struct FoldCovariances {
  Covariances<double> covariances;    // about the mean of all training rows, as covariances() has them
  std::vector<Vector<double>> means;  // of each view
  double weight = 0;                  // of the rows; their number where they have no weights
};

inline constexpr Index kFoldRows = 512;  // of each fold are kept until they are multiplied

/// Of two views, all folds in one pass.
template <class S>
std::vector<FoldCovariances> fold_covariances(DataStream<S>& stream, int folds, std::uint64_t seed,
                                              Products products = Products::exact);

/// Of the scores X'a of both views, as score_covariances() has them.
template <class S>
std::vector<FoldCovariances> fold_score_covariances(DataStream<S>& stream, int folds, std::uint64_t seed,
                                                    const Point<double>& x);

/// Of the rows of all folds but one, about the mean of all; -1: of all of them.
FoldCovariances without_fold(const std::vector<FoldCovariances>& folds, int fold);

extern template std::vector<FoldCovariances> fold_covariances<float>(DataStream<float>&, int, std::uint64_t,
                                                                     Products);
extern template std::vector<FoldCovariances> fold_covariances<double>(DataStream<double>&, int, std::uint64_t,
                                                                      Products);
extern template std::vector<FoldCovariances> fold_score_covariances<float>(DataStream<float>&, int,
                                                                           std::uint64_t,
                                                                           const Point<double>&);
extern template std::vector<FoldCovariances> fold_score_covariances<double>(DataStream<double>&, int,
                                                                            std::uint64_t,
                                                                            const Point<double>&);
extern template Covariances<float> covariances<float, float>(DataStream<float>&, Products);
extern template Covariances<double> covariances<float, double>(DataStream<float>&, Products);
extern template Covariances<double> covariances<double, double>(DataStream<double>&, Products);

}  // namespace landfall
