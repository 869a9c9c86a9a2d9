#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/weights.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall {

RowWeights read_weights(const std::filesystem::path& path, const TableOptions& options) {
  const auto source = open_source<double>(path, options);
  if (source->cols() != 1)
    throw DataError(
        fmt::format("{}: {} columns, expected one column of weights", source->name(), source->cols()));
  std::vector<double> weights;
  Batch<double> batch;
  double weight = 0;
  while (source->read(1024, batch) > 0)
    for (Index i = 0; i < batch.rows(); ++i) {
      dense_row<double>(batch, i, std::span(&weight, 1));
      weights.push_back(weight);
    }
  std::string name = source->name();
  if (!options.columns.empty()) name += fmt::format(", column '{}'", options.columns.front());
  return {std::move(name), std::move(weights)};
}

}  // namespace landfall
