#include <landfall/data/rows/row_count.hpp>
#include <landfall/linalg/reduce.hpp>

namespace landfall {

template <class S>
Index count_rows(DataStream<S>& stream, bool held_out) {
  if (const ColumnStatistics* columns = stream.statistics(0)) return columns->rows;
  const auto known = stream.source(0).rows();
  Index rows = 0;
  if (known && !held_out) {
    if (stream.rank_rows() == RankRows::shared) return *known;
    rows = *known;
  } else {
    stream.begin_pass(0);
    while (stream.next()) rows += stream.view(0).rows();
  }
  reduce(stream.communicator(), rows);
  return rows;
}

template Index count_rows<float>(DataStream<float>&, bool);
template Index count_rows<double>(DataStream<double>&, bool);

}  // namespace landfall
