// The options of a command that concern its report.
#pragma once

#include "report/report_rows.hpp"
#include "terminal/arguments.hpp"

namespace landfall::app {

/// --image, and --labels unless the command has that itself.
void add_image(const OptionAdder& add, ReportOptions& report);
void add_report_labels(const OptionAdder& add, ReportOptions& report);

}  // namespace landfall::app
