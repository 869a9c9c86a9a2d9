// JSON files of run folders.
//
//   write_json(summary_in(folder), summary);
//   const Json summary = read_summary("run");    // DataError: not the folder of a finished run
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace landfall::app {

using Json = nlohmann::ordered_json;

/// With indentation. Bytes that are not UTF-8, as names of classes may have, are replaced.
std::string json_text(const Json& json);
void write_json(const std::filesystem::path& path, const Json& json);
/// Json::exception: the file holds something else, or nests it a hundred times.
Json read_json(const std::filesystem::path& path);

Json read_summary(const std::filesystem::path& folder);

}  // namespace landfall::app
