#include <landfall/models/fit/in_memory_rows.hpp>

#include <algorithm>
#include <numeric>

namespace landfall {

std::vector<Index> shuffled_rows(Index rows, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  // Fisher and Yates, two places from each block of random words.
  Index left = rows;
  for (std::uint64_t block = 0; left > 1; ++block) {
    const auto words = random_words({seed, 0x6b657074}, block);
    for (std::size_t half = 0; half < 2 && left > 1; ++half, --left) {
      const std::uint64_t word = static_cast<std::uint64_t>(words[2 * half]) << 32 | words[2 * half + 1];
      const std::size_t place = word % static_cast<std::uint64_t>(left);
      std::swap(order[place], order[static_cast<std::size_t>(left - 1)]);
    }
  }
  return order;
}

template <class S>
InMemoryBatches<S> read_into_memory(Source<S>& source, const Transform<S>& transform,
                                    std::span<const Index> rows, Index batch,
                                    const Communicator& communicator) {
  InMemoryBatches<S> batches;
  Batch<S> raw;
  std::vector<char> drop;
  for (std::size_t first = 0; first < rows.size(); first += static_cast<std::size_t>(batch)) {
    const auto all = static_cast<Index>(std::min(static_cast<std::size_t>(batch), rows.size() - first));
    const RankSlice own = slice(communicator.rank(), communicator.size(), all);
    const auto count = static_cast<std::size_t>(own.size());
    source.read_rows(rows.subspan(first + static_cast<std::size_t>(own.first), count), raw);
    drop.assign(count, 0);
    transform.check(raw, drop);
    transform.apply(raw, batches.emplace_back(1).front());
  }
  return batches;
}

LANDFALL_KEPT_ROWS(, float)
LANDFALL_KEPT_ROWS(, double)

}  // namespace landfall
