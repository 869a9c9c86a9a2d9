#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/warnings.hpp>

#include <algorithm>
#include <cmath>

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

std::string dependent_columns(const std::string& name, Index columns, Index rank) {
  return fmt::format("{}: {} of {} columns depend on the others; solved within the {} dimensions they span",
                     name, columns - rank, columns, rank);
}

template <class S>
std::vector<std::string> condition_warnings(DataStream<S>& stream) {
  constexpr Index kWidest = 512, kRows = 4096;
  constexpr double kSmallest = 1e-5;  // eigenvalue of a correlation matrix that single precision resolves
  std::vector<Matrix<double>> sums;
  for (std::size_t i = 0; i < stream.views(); ++i) {
    if (!stream.source(i).rewindable()) return {};
    const auto n = static_cast<Index>(stream.transform(i).kept().size());
    sums.push_back(n <= kWidest ? Matrix<double>(Matrix<double>::Zero(n, n)) : Matrix<double>());
  }
  DenseRows<S> dense;
  Index rows = 0;
  stream.begin_pass(in_file_order);
  const Index enough = share(stream.communicator(), kRows);  // of this rank
  while (rows < enough && stream.next()) {
    rows += stream.view(0).rows();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].size() == 0) continue;
      const Matrix<double> columns = dense(stream.view(i)).template cast<double>();  // a row of the data each
      multiply_bt<double>(columns, columns, sums[i], 1, 1);
    }
  }
  reduce(stream.communicator(), sums, rows);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Matrix<double>& m = sums[i];
    if (m.rows() < 2 || rows <= m.rows()) continue;
    const Vector<double> scale =
        m.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 1.0; });
    m = (scale.asDiagonal() * m * scale.asDiagonal()).eval();
    const Vector<double> values = singular_values<double>(m);
    if (const Index rank = numerical_rank<double>(m); rank < m.rows()) {
      warnings.push_back(dependent_columns(stream.source(i).name(), m.rows(), rank));
      continue;
    }
    if (sizeof(S) == sizeof(double) || values.minCoeff() >= kSmallest * values.maxCoeff()) continue;
    warnings.push_back(fmt::format(
        "{}: its columns nearly depend on each other (condition number above {:.0e}), and landing in single "
        "precision does not see what differs so little; --precision double or --method exact does",
        stream.source(i).name(), std::sqrt(1 / kSmallest)));
  }
  return warnings;
}

template std::vector<std::string> condition_warnings<float>(DataStream<float>&);
template std::vector<std::string> condition_warnings<double>(DataStream<double>&);
template std::vector<std::string> column_warnings<float>(const DataStream<float>&);
template std::vector<std::string> column_warnings<double>(const DataStream<double>&);

}  // namespace landfall
