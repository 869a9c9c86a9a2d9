#include "report/report_options.hpp"

#include <fmt/format.h>

namespace landfall::app {

void add_image(const OptionAdder& add, ReportOptions& report) {
  add("--image", report.image, "HxW",
      "image size, if the columns are pixels, row by row")
      ->check(CLI::Validator(
          [](std::string& text) {
            return parse_image(text).empty()
                       ? fmt::format("'{}' is not a height and a width such as 28x14", text)
                       : std::string();
          },
          ""));
}

void add_report_labels(const OptionAdder& add, ReportOptions& report) {
  add("--labels", report.labels, "FILE", "labels, one per row, to colour the report");
}

}  // namespace landfall::app
