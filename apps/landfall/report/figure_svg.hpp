// A chart of a report as an SVG file: what the page saves, and what landfall report --figures writes without a browser.
//
//   const std::string svg = figure_svg(section["charts"][0]);
//   write_figures("run/figures", page);    // one file for each chart, named after its section and title
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/summary.hpp"

namespace landfall::app {

/// Of a chart as landfall/report/report.hpp describes it, in light colours. Text is escaped.
std::string figure_svg(const Json& chart);

/// The files that were written. Existing files of these names are replaced.
std::vector<std::filesystem::path> write_figures(const std::filesystem::path& folder, const Json& page);

}  // namespace landfall::app
