#include <sstream>

#include "reproduce/stream_runs.hpp"

namespace landfall::app {

extern const char* const paper_curves_csv;

PaperCurve paper_curve(const std::string& problem, const std::string& method) {
  PaperCurve curve;
  const std::string wanted = problem + "," + method + ",";
  std::istringstream lines(paper_curves_csv);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(wanted)) continue;
    std::istringstream cells(line.substr(wanted.size()));
    for (std::vector<double>* column : {&curve.iteration, &curve.objective, &curve.distance, &curve.amari}) {
      std::string cell;
      std::getline(cells, cell, ',');
      if (!cell.empty()) column->push_back(std::stod(cell));
    }
  }
  return curve;
}

}  // namespace landfall::app
