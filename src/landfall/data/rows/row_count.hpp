// The number of training rows in a pass of a stream, over all ranks: known from the statistics or the source,
// otherwise counted.
//
//   const landfall::Index rows = landfall::count_rows<float>(stream, true);    // some are held out
#pragma once

#include <landfall/data/rows/stream.hpp>

namespace landfall {

template <class S>
Index count_rows(DataStream<S>& stream, bool held_out = false);

extern template Index count_rows<float>(DataStream<float>&, bool);
extern template Index count_rows<double>(DataStream<double>&, bool);

}  // namespace landfall
