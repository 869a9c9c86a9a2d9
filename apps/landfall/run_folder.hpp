// The folder of a run: new, and written whole or not at all.
//
//   require_new_folder(out);                                          // before the work
//   write_new_folder(out, [&](const auto& folder) { write_npy<double>(folder / "x.npy", x); });
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

namespace landfall::app {

/// Throws UsageError when the path exists, DataError when a folder could not be made there.
void require_new_folder(const std::filesystem::path& path);

/// The files are written into a folder beside it, which gets its name when all are.
void write_new_folder(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& folder)>& write_files);

/// With indentation. Text that is not UTF-8, as names of classes may be, has its odd bytes replaced.
std::string json_text(const nlohmann::ordered_json& json);

void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json);
/// folder/summary.json.
void write_summary(const std::filesystem::path& folder, const nlohmann::ordered_json& summary);

/// The most bytes this process has had in memory.
std::uint64_t peak_memory();

}  // namespace landfall::app
