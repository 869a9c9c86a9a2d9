#include <landfall/models/fit/warnings.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall {
namespace {

/// "2 columns: bmi, age", with numbers where the file has no names.
template <class S>
std::string columns_text(const Source<S>& source, const std::vector<Index>& columns, std::string_view kind) {
  constexpr std::size_t shown = 5;
  const auto& names = source.column_names();
  std::string text;
  for (std::size_t k = 0; k < std::min(columns.size(), shown); ++k) {
    const auto j = static_cast<std::size_t>(columns[k]);
    text += (k == 0 ? "" : ", ") + (j < names.size() ? names[j] : fmt::to_string(j + 1));
  }
  if (columns.size() > shown) text += fmt::format(" and {} more", columns.size() - shown);
  return fmt::format("{} {}{}: {}", columns.size(), kind, columns.size() == 1 ? "" : "s", text);
}

}  // namespace

template <class S>
std::vector<std::string> column_warnings(const DataStream<S>& stream) {
  std::vector<std::string> warnings;
  Index n = 0;
  for (std::size_t i = 0; i < stream.views(); ++i) {
    const Source<S>& source = stream.source(i);
    const auto& kept = stream.transform(i).kept();
    n += static_cast<Index>(kept.size());
    if (const auto& dropped = stream.transform(i).dropped(); !dropped.empty())
      warnings.push_back(
          fmt::format("{}: left out {}", source.name(), columns_text(source, dropped, "constant column")));
    const ColumnStatistics* columns = stream.statistics(i);
    if (columns == nullptr) continue;
    const auto rows = static_cast<double>(columns->rows);
    std::vector<Index> heavy, coarse;
    for (const Index j : kept) {
      const double mean = columns->mean(j), variance = columns->variance(j),
                   range = std::max(columns->max(j) - mean, mean - columns->min(j));
      if (rows >= 100 && !source.sparse() && range * range > 0.5 * rows * variance) heavy.push_back(j);
      if (sizeof(S) == sizeof(float) && mean * mean > 1e8 * variance) coarse.push_back(j);
    }
    if (!heavy.empty())
      warnings.push_back(fmt::format("{}: one row makes up more than half of the variance in {}",
                                     source.name(), columns_text(source, heavy, "column")));
    if (!coarse.empty())
      warnings.push_back(
          fmt::format("{}: the mean is more than 10000 deviations, too much for single precision, in {}",
                      source.name(), columns_text(source, coarse, "column")));
  }
  if (const ColumnStatistics* columns = stream.statistics(0); columns && columns->rows < n)
    warnings.push_back(
        fmt::format("{} rows are fewer than the {} columns: the training rows say little about others; "
                    "--held-out 0.2 shows how far the result carries",
                    columns->rows, n));
  return warnings;
}

template std::vector<std::string> column_warnings<float>(const DataStream<float>&);
template std::vector<std::string> column_warnings<double>(const DataStream<double>&);

}  // namespace landfall
