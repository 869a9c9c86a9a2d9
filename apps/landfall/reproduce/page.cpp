#include "reproduce/page.hpp"

#include <landfall/data/io/file.hpp>
#include <landfall/report/report.hpp>

#include <cmath>
#include <map>

#include "report/report_parts.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

void write_text(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) out += letter == '"' ? "\"\"" : std::string(1, letter);
  return out + "\"";
}

std::string csv_of(const Chart& chart) {
  std::map<double, std::vector<std::string>> lines;
  std::string text = quoted(chart.x_label);
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const Series& series = chart.series[k];
    text += "," + quoted(series.name);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      auto& line = lines[series.x[i]];
      line.resize(chart.series.size());
      if (std::isfinite(series.y[i])) line[k] = fmt::format("{:.10g}", series.y[i]);
    }
  }
  text += "\n";
  for (const auto& [x, line] : lines) text += fmt::format("{:.10g},{}\n", x, fmt::join(line, ","));
  return text;
}

std::string csv_of(const Table& table) {
  std::string text;
  for (const auto& column : table.columns) text += (text.empty() ? "" : ",") + quoted(column);
  text += "\n";
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const auto& cell : row)
      cells.push_back(cell.is_string() ? quoted(cell.get<std::string>()) : cell.is_null() ? "" : cell.dump());
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

Table claims_table(const Page& page) {
  Table table{
      .file = "claims", .heading = "Claims", .columns = {"the paper claims", "measured here", "agrees"}};
  for (const Claim& claim : page.claims) table.rows.push_back({claim.claim, claim.measured, claim.verdict()});
  return table;
}

Json section_of(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) rows.push_back(row);
  return {{"heading", table.heading}, {"table", {{"columns", table.columns}, {"rows", rows}}}};
}

Json json_of(const Chart& chart) {
  Json series = Json::array();
  int colour = -1;
  for (const Series& one : chart.series) {
    if (!one.faint) ++colour;
    Json line{
        {"name", one.name}, {"x", rounded(one.x)}, {"y", rounded(one.y)}, {"colour", std::max(colour, 0)}};
    if (one.faint) line["faint"] = true;
    series.push_back(std::move(line));
  }
  return {{"kind", "line"},           {"title", chart.title},     {"label", chart.label},
          {"x_label", chart.x_label}, {"y_label", chart.y_label}, {"log_x", chart.log_x},
          {"log_y", chart.log_y},     {"series", series}};
}

}  // namespace

void write_page(const std::filesystem::path& folder, const Page& page) {
  make_folder(folder);
  const Table claims = claims_table(page);
  Json first = section_of(claims);
  for (Json& row : first["table"]["rows"])  // seen at a glance
    row[2] = (row[2] == "agrees"   ? "\u2713\u00a0"
              : row[2] == "fitted" ? "~\u00a0"
                                   : "\u2717\u00a0") +
             row[2].get<std::string>();
  first["text"] = page.text;
  Json sections = Json::array({first});
  if (!page.charts.empty()) {
    Json charts = Json::array();
    for (const Chart& chart : page.charts) charts.push_back(json_of(chart));
    sections.push_back({{"heading", "Figure"}, {"charts", charts}});
  }
  for (const Table& table : page.tables) sections.push_back(section_of(table));
  const Json json{{"title", page.title}, {"subtitle", page.name}, {"sections", sections}};

  const auto file = [&](const std::string& part) {
    return folder / fmt::format("{}-{}.csv", page.name, part);
  };
  write_text(file(claims.file), csv_of(claims));
  for (const Chart& chart : page.charts) write_text(file(chart.file), csv_of(chart));
  for (const Table& table : page.tables) write_text(file(table.file), csv_of(table));
  write_text(folder / (page.name + ".html"), report_page(json.dump()));
}

}  // namespace landfall::app
