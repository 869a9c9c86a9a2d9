// The number of training rows in a pass of a stream, over all ranks: known from the statistics or the source,
// otherwise counted.
//
//   const landfall::Index rows = landfall::count_rows<float>(stream, 0.1);    // a tenth is held out
#pragma once

#include <landfall/data/rows/stream.hpp>

namespace landfall {

template <class S>
Index count_rows(DataStream<S>& stream, double held_out = 0);

extern template Index count_rows<float>(DataStream<float>&, double);
extern template Index count_rows<double>(DataStream<double>&, double);

}  // namespace landfall
