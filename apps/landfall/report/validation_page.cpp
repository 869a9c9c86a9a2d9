#include "report/validation_page.hpp"

#include <cstdio>

#include "terminal/command_line.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

std::string ridge_name(const Json& ridge) {
  return fmt::format("{:g}", ridge.get<double>());
}

}  // namespace

Json validation_page(const ProblemEntry& problem, const Json& choice) {
  const Json &ridges = choice.at("ridges"), &names = choice.at("columns"), &values = choice.at("values"),
             &errors = choice.at("errors");
  Json chart{{"kind", "line"},
             {"title", fmt::format("{}, by ridge", choice.at("measure").get<std::string>())},
             {"label", choice.at("text")},
             {"wide", true},
             {"x_label", "relative ridge, by number in the table"},
             {"y_label", choice.at("measure")},
             {"x", Json::array()},
             {"series", Json::array()}};
  Json table{{"columns", {"relative ridge"}}, {"rows", Json::array()}};
  for (std::size_t r = 0; r < ridges.size(); ++r) chart["x"].push_back(r + 1);
  for (std::size_t k = 0; k < names.size(); ++k) {
    chart["series"].push_back({{"name", names[k]}, {"y", values[k]}});
    table["columns"].push_back(names[k]);
    table["columns"].push_back("± error");
  }
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    Json row = Json::array({ridges[r]});
    for (std::size_t k = 0; k < names.size(); ++k) {
      row.push_back(values[k][r]);
      row.push_back(errors[k][r]);
    }
    table["rows"].push_back(std::move(row));
  }
  table["best"] = {choice.at("chosen_ridge_number")};
  Json sections = Json::array();
  sections.push_back(
      {{"heading", "Choice"}, {"text", choice.at("text")}, {"charts", {chart}}, {"table", table}});
  sections.push_back({{"heading", "How to reproduce it"}, {"code", shell_text(choice.at("command"))}});
  return {{"title", fmt::format("Cross-validation: {}", problem.subject)}, {"sections", std::move(sections)}};
}

void print_validation_table(const Json& choice) {
  const Json &ridges = choice.at("ridges"), &names = choice.at("columns");
  fmt::print("{:>6}", "ridge");
  for (const auto& name : names) fmt::print("  {:>16}", name.get<std::string>());
  fmt::print("\n");
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    fmt::print("{:>6}", ridge_name(ridges[r]));
    for (std::size_t k = 0; k < names.size(); ++k)
      fmt::print("  {:>7.4f} ± {:.4f}", choice.at("values")[k][r].get<double>(),
                 choice.at("errors")[k][r].get<double>());
    fmt::print("{}\n", r == choice.at("chosen_ridge_number").get<std::size_t>() ? "  <- chosen" : "");
  }
  fmt::print("{}\n", choice.at("text").get<std::string>());
}

}  // namespace landfall::app
