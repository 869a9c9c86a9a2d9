#include "report/validation_page.hpp"

#include <cstdio>

#include "terminal/command_line.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// Of ICA: chosen by stability, with a row for each number of components.
bool is_of_components(const Json& choice) {
  return choice.contains("mean_quality");
}

Json chart_of(const Json& choice, const std::string& title, const char* x_label, const Json& y_label) {
  return {{"kind", "line"},     {"title", title},         {"label", choice.at("text")},
          {"wide", true},       {"x_label", x_label},     {"y_label", y_label},
          {"x", Json::array()}, {"series", Json::array()}};
}

Json ridge_section(const Json& choice) {
  const Json &ridges = choice.at("ridges"), &names = choice.at("columns"), &values = choice.at("values"),
             &errors = choice.at("errors");
  Json chart = chart_of(choice, fmt::format("{}, by ridge", choice.at("measure").get<std::string>()),
                        "relative ridge, by number in the table", choice.at("measure"));
  Json table{{"columns", {"relative ridge"}}, {"rows", Json::array()}};
  for (std::size_t r = 0; r < ridges.size(); ++r) chart["x"].push_back(r + 1);
  for (std::size_t k = 0; k < names.size(); ++k) {
    chart["series"].push_back({{"name", names.at(k)}, {"y", values.at(k)}});
    table["columns"].push_back(names.at(k));
    table["columns"].push_back("± error");
  }
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    Json row = Json::array({ridges.at(r)});
    for (std::size_t k = 0; k < names.size(); ++k) {
      row.push_back(values.at(k).at(r));
      row.push_back(errors.at(k).at(r));
    }
    table["rows"].push_back(std::move(row));
  }
  table["best"] = {choice.at("chosen_ridge_number")};
  return {{"charts", {chart}}, {"table", table}};
}

Json components_section(const Json& choice) {
  const Json& components = choice.at("components");
  Json chart =
      chart_of(choice, "Stability and variance, by number of components", "components", "share or Iq");
  Json table{{"columns", {"components", "stable", "mean Iq", "worst Iq", "variance, %"}},
             {"rows", Json::array()}};
  chart["x"] = components;
  Json share = Json::array();
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Json& stable = choice.at("stable").at(i);
    share.push_back(stable.get<double>() / components.at(i).get<double>());
    table["rows"].push_back({components.at(i), stable, choice.at("mean_quality").at(i),
                             choice.at("worst_quality").at(i),
                             100 * choice.at("explained_variance").at(i).get<double>()});
  }
  chart["series"] = {{{"name", "stable components"}, {"y", share}},
                     {{"name", "mean Iq"}, {"y", choice.at("mean_quality")}},
                     {{"name", "worst Iq"}, {"y", choice.at("worst_quality")}},
                     {{"name", "explained variance"}, {"y", choice.at("explained_variance")}}};
  table["best"] = {choice.at("chosen_number")};
  return {{"charts", {chart}}, {"table", table}};
}

void print_components(const Json& choice) {
  const Json& components = choice.at("components");
  fmt::print("{:>10}  {:>6}  {:>7}  {:>8}  {:>9}\n", "components", "stable", "mean Iq", "worst Iq",
             "variance");
  for (std::size_t i = 0; i < components.size(); ++i)
    fmt::print("{:>10}  {:>6}  {:>7.3f}  {:>8.3f}  {:>7.2f} %{}\n", components.at(i).get<int>(),
               choice.at("stable").at(i).get<int>(), choice.at("mean_quality").at(i).get<double>(),
               choice.at("worst_quality").at(i).get<double>(),
               100 * choice.at("explained_variance").at(i).get<double>(),
               i == choice.at("chosen_number").get<std::size_t>() ? "  <- chosen" : "");
}

void print_ridges(const Json& choice) {
  const Json &ridges = choice.at("ridges"), &names = choice.at("columns");
  fmt::print("{:>6}", "ridge");
  for (const auto& name : names) fmt::print("  {:>16}", name.get<std::string>());
  fmt::print("\n");
  for (std::size_t r = 0; r < ridges.size(); ++r) {
    fmt::print("{:>6}", fmt::format("{:g}", ridges.at(r).get<double>()));
    for (std::size_t k = 0; k < names.size(); ++k)
      fmt::print("  {:>7.4f} ± {:.4f}", choice.at("values").at(k).at(r).get<double>(),
                 choice.at("errors").at(k).at(r).get<double>());
    fmt::print("{}\n", r == choice.at("chosen_ridge_number").get<std::size_t>() ? "  <- chosen" : "");
  }
}

}  // namespace

Json choice_section(const Json& choice) {
  Json section = is_of_components(choice) ? components_section(choice) : ridge_section(choice);
  section["text"] = choice.at("text");
  return section;
}

Json validation_page(const ProblemEntry& problem, const Json& choice) {
  Json sections = Json::array(), chosen = choice_section(choice);
  chosen["heading"] = "Choice";
  sections.push_back(std::move(chosen));
  sections.push_back({{"heading", "How to reproduce it"}, {"code", shell_text(choice.at("command"))}});
  return {
      {"title",
       fmt::format("{}{}", is_of_components(choice) ? "How many " : "Cross-validation: ", problem.subject)},
      {"sections", std::move(sections)}};
}

void print_validation_table(const Json& choice) {
  is_of_components(choice) ? print_components(choice) : print_ridges(choice);
  fmt::print("{}\n", choice.at("text").get<std::string>());
}

}  // namespace landfall::app
