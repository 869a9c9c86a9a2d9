// What a reproduced figure consists of: claims with what was measured, charts, tables. write_page() makes files of it.
//
//   Page page{.name = "fig-gevp", .title = "Generalized eigenvalue problem"};
//   page.claims.push_back({"Psi_B is the cheapest direction", "0.9 s against 1.4 s", true});
//   page.charts.push_back({.file = "objective", .title = "Objective", .series = {{"landing", x, y}}});
//   write_page("reproduction", page);    // reproduction/fig-gevp.html, reproduction/fig-gevp-objective.csv
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace landfall::app {

/// What the paper says, what was measured here, and whether the two agree.
struct Claim {
  std::string claim, measured;
  bool agrees = false;
  bool fitted = false;  // a parameter was chosen so that they agree: the claim is not confirmed by that

  /// "agrees", "fitted" (where it agrees with a fitted parameter) or "differs".
  std::string verdict() const { return !agrees ? "differs" : fitted ? "fitted" : "agrees"; }
};

struct Series {
  std::string name{};
  std::vector<double> x{}, y{};
  bool faint = false;  // drawn lightly, in the colour of the series before
};

struct Chart {
  std::string file{};  // its csv is NAME-file.csv
  std::string title{};
  std::string label{};  // a sentence that says what there is to see
  std::string x_label{}, y_label{};
  bool log_x = false, log_y = false;
  std::vector<Series> series{};
};

struct Table {
  std::string file{};
  std::string heading{};
  std::vector<std::string> columns{};
  std::vector<std::vector<nlohmann::ordered_json>> rows{};  // text or numbers
};

struct Page {
  std::string name{}, title{};
  std::vector<std::string> text{};  // paragraphs: what is run, and how it departs from the paper
  std::vector<Claim> claims{};
  std::vector<Chart> charts{};
  std::vector<Table> tables{};
};

/// FOLDER/NAME.html and a csv for the claims and for every chart and table. A chart's csv has the x of all series and
/// a column for each, empty where a series has no finite number there.
void write_page(const std::filesystem::path& folder, const Page& page);

}  // namespace landfall::app
