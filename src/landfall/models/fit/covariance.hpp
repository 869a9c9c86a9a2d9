// Covariances of one or two views in one pass over a stream: for methods that can afford n x n.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.batch = 1024});
//   auto covariances = landfall::covariances<float>(stream);
//   use(covariances.within[0], covariances.within[1], covariances.cross);
#pragma once

#include <landfall/data/rows/stream.hpp>

namespace landfall {

template <class S>
struct Covariances {
  std::vector<Matrix<S>> within;  // of each view
  Matrix<S> cross;                // of the first with the second, where there are two
  Index rows = 0;
};

/// Over the training rows, columns that were dropped left out, summed in precision Sum. A batch of sparse rows
/// is written out.
template <class S, class Sum = S>
Covariances<Sum> covariances(DataStream<S>& stream);

extern template Covariances<float> covariances<float, float>(DataStream<float>&);
extern template Covariances<double> covariances<float, double>(DataStream<float>&);
extern template Covariances<double> covariances<double, double>(DataStream<double>&);

}  // namespace landfall
