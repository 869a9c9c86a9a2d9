// The folder of a run. It is finished when summary.json is in it, which comes last; until then it may hold a
// checkpoint to go on from.
//
//   require_usable_folder(out, Existing::refuse);                     // before the work
//   write_run_folder(out, [&](const auto& folder) { write_npy<double>(folder / "x.npy", x); });
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

namespace landfall::app {

/// What may become of a folder that is there already.
enum class Existing {
  refuse,
  replace,  // if it is that of a run, or empty
  resume,   // if it is that of a run which is not finished
};

/// Throws UsageError when what exists may not be used so, DataError when a folder could not be made there.
void require_usable_folder(const std::filesystem::path& path, Existing existing);

/// The name of the checkpoint in a run folder.
std::filesystem::path checkpoint_in(const std::filesystem::path& run);

/// Makes the folder, or empties that of a finished run, which is to be replaced.
void begin_run_folder(const std::filesystem::path& path);

/// The files are written into a folder within it, and when all are there they take the place of what the run's
/// folder holds, summary.json last. If they cannot be written, what was there stays.
void write_run_folder(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& folder)>& write_files);

/// With indentation. Text that is not UTF-8, as names of classes may be, has its odd bytes replaced.
std::string json_text(const nlohmann::ordered_json& json);

void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json);
/// folder/summary.json.
void write_summary(const std::filesystem::path& folder, const nlohmann::ordered_json& summary);

/// The most bytes this process has had in memory.
std::uint64_t peak_memory();

}  // namespace landfall::app
