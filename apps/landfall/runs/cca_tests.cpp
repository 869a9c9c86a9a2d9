#include "runs/cca_tests.hpp"

#include <cmath>
#include <cstdio>
#include <functional>

#include "runs/run_files.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// Null where it is not a number.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// Four digits, or "<1e-16".
std::string p_text(double p) {
  if (!std::isfinite(p)) return "-";
  if (p < 1e-16) return "<1e-16";
  return p < 1e-4 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p);
}

/// A column of the table: its heading, the text of each pair, and that of the last line.
struct TableColumn {
  std::string heading;
  std::function<std::string(Index)> of;
  std::string total;
};

template <class S>
std::vector<TableColumn> columns_of(const CcaResult<S>& result) {
  const auto correlations = [](const std::string& heading, const Vector<double>& values) {
    return TableColumn{heading, [&values](Index j) { return fmt::format("{:.6f}", values(j)); },
                       fmt::format("{:.6f}", values.sum())};
  };
  std::vector<TableColumn> columns{correlations("correlation", result.correlations)};
  if (result.held_out.size() > 0) columns.push_back(correlations("held out", result.held_out));
  if (result.cross_validated.folds > 0)
    columns.push_back(correlations("cross-validated", result.cross_validated.correlations));
  if (result.bootstrap.resamples > 0)
    columns.push_back({fmt::format("{:g} % interval", 100 * result.bootstrap.level),
                       [&](Index j) {
                         return fmt::format("{:.3f} to {:.3f}", result.bootstrap.lower(j),
                                            result.bootstrap.upper(j));
                       },
                       ""});
  if (!result.wilks.empty())
    columns.push_back(
        {"p (Wilks)", [&](Index j) { return p_text(result.wilks[static_cast<std::size_t>(j)].f.p); }, ""});
  if (result.permutation.permutations > 0)
    columns.push_back({"p (permuted)", [&](Index j) { return p_text(result.permutation.p(j)); }, ""});
  return columns;
}

Json wilks_json(const WilksTest& test) {
  return {{"lambda", finite(test.lambda)},
          {"chi_squared", finite(test.chi_squared.statistic)},
          {"chi_squared_df", test.chi_squared.degrees},
          {"chi_squared_p", finite(test.chi_squared.p)},
          {"f", finite(test.f.statistic)},
          {"f_df1", test.f.degrees},
          {"f_df2", test.f.denominator},
          {"f_p", finite(test.f.p)}};
}

}  // namespace

template <class S>
void add_tests(Json& summary, const CcaResult<S>& result) {
  if (const CrossValidated& tested = result.cross_validated; tested.folds > 0) {
    summary["folds"] = tested.folds;
    summary["cross_validated_correlations"] = numbers(tested.correlations);
    summary["cross_validated_total_correlation"] = tested.correlations.sum();
    summary["cross_validated_errors"] = numbers(tested.errors);
  }
  for (const WilksTest& test : result.wilks) summary["wilks"].push_back(wilks_json(test));
  if (const PermutationTest& test = result.permutation; test.permutations > 0) {
    summary["permutations"] = test.permutations;
    summary["permutation_p"] = numbers(test.p);
  }
  if (const CcaBootstrap& intervals = result.bootstrap; intervals.resamples > 0)
    summary["bootstrap"] = {{"resamples", intervals.resamples},
                            {"level", intervals.level},
                            {"correlations_lower", numbers(intervals.lower)},
                            {"correlations_upper", numbers(intervals.upper)},
                            {"correlations_errors", numbers(intervals.errors)}};
}

template <class S>
void print_pairs(const CcaResult<S>& result) {
  const auto columns = columns_of(result);
  const Index pairs = result.correlations.size();
  const auto line = [&](const std::string& name, const std::function<std::string(const TableColumn&)>& text) {
    fmt::print("{:>5}", name);
    for (const TableColumn& column : columns) {
      std::size_t width = std::max<std::size_t>(column.heading.size(), 10);
      for (Index j = 0; j < pairs; ++j) width = std::max(width, column.of(j).size());
      fmt::print("  {:>{}}", text(column), width);
    }
    fmt::print("\n");
  };
  line("", [](const TableColumn& column) { return column.heading; });
  for (Index j = 0; j < pairs; ++j)
    line(fmt::to_string(j + 1), [j](const TableColumn& column) { return column.of(j); });
  line("total", [](const TableColumn& column) { return column.total; });
}

LANDFALL_CCA_TESTS(, float)
LANDFALL_CCA_TESTS(, double)

}  // namespace landfall::app
