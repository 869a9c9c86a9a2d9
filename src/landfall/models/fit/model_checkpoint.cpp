#include <landfall/data/io/checksum.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/model_checkpoint.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class T>
void add(Checksum& sum, const Eigen::DenseBase<T>& values) {
  const auto& all = values.derived();
  sum.add(std::as_bytes(std::span(all.data(), static_cast<std::size_t>(all.size()))));
}

}  // namespace

template <class S>
std::uint64_t data_mark(const DataStream<S>& stream, const InMemorySamples<S>& first) {
  Checksum sum;
  const auto rows = first.count();
  sum.add(std::as_bytes(std::span(&rows, 1)));
  std::uint64_t mark = stream.mark();
  for (std::size_t i = 0; i < stream.views(); ++i)
    if (const ColumnStatistics* columns = stream.statistics(i)) {
      for (const auto* values : {&columns->min, &columns->max}) add(sum, *values);
    } else {  // then the rows in memory are as they are stored
      std::uint64_t own = 0;
      for (const auto& batch : first.batches()) own += mark_of(batch[i].batch, i);
      auto all = static_cast<Index>(own);
      reduce(stream.communicator(), all);
      mark += static_cast<std::uint64_t>(all);
    }
  sum.add(std::as_bytes(std::span(&mark, 1)));
  return sum.value();
}

ModelCheckpoint::ModelCheckpoint(const Checkpoints& outer, std::uint64_t data, std::string reason,
                                 std::function<void(State&)> more)
    : head_{data, std::move(reason)}, more_(std::move(more)) {
  const auto pack = [this](const std::string& solver) {
    StateWriter out;
    std::string copy = solver;
    out(head_.data, head_.reason, copy);
    if (more_) more_(out);
    return out.bytes();
  };
  inner_.due = outer.due;
  if (outer.save) inner_.save = [pack, save = outer.save](const std::string& state) { save(pack(state)); };
  if (outer.finish)
    inner_.finish = [pack, finish = outer.finish](const std::string& state) { finish(pack(state)); };
  if (outer.resume.empty()) return;
  StateReader in(outer.resume);
  in(head_.data, head_.reason, inner_.resume);
  if (head_.data != data)
    throw DataError(fmt::format("{}: the data changed since the checkpoint was written", outer.name));
  if (more_) more_(in);
}

template std::uint64_t data_mark<float>(const DataStream<float>&, const InMemorySamples<float>&);
template std::uint64_t data_mark<double>(const DataStream<double>&, const InMemorySamples<double>&);

}  // namespace landfall
