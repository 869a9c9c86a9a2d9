// The report of landfall cv: the chart of what each choice gives, and the table.
//
//   write_page("cv/report.html", validation_page(find_problem("cca"), choice));
#pragma once

#include "problems/problems.hpp"
#include "problems/summary.hpp"

namespace landfall::app {

/// Of {ridges, columns, values, errors, measure, folds, text, command}, where values has a row for each column of the table; or of
/// {components, stable, mean_quality, worst_quality, explained_variance, text, command}.
Json validation_page(const ProblemEntry& problem, const Json& choice);

/// Its chart, table and text, without a heading.
Json choice_section(const Json& choice);

/// The same numbers on standard output.
void print_validation_table(const Json& choice);

}  // namespace landfall::app
