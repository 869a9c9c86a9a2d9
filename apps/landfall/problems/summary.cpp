#include "problems/summary.hpp"

#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <fstream>

#include <fmt/format.h>

namespace landfall::app {

namespace fs = std::filesystem;

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

void write_json(const fs::path& path, const Json& json) {
  write_text(path, json_text(json) + "\n");
}

Json read_json(const fs::path& path) {
  constexpr int deepest = 100;  // writing is recursive, and would need more stack than there is
  std::ifstream text(path);
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) throw Json::out_of_range::create(408, "nested too deeply", nullptr);
    return true;
  });
}

Json read_summary(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) throw DataError(fmt::format("{}: no such folder", folder.string()));
  if (!fs::exists(summary_in(folder), error))
    throw DataError(
        fmt::format("{}: no summary.json in it, expected a folder written by --out", folder.string()));
  return read_json(summary_in(folder));
}

}  // namespace landfall::app
