// The folder of a run. The run is finished when summary.json is in it, which is written last; until then the
// folder may hold a checkpoint to resume from.
//
//   landfall::require_usable_folder("run", landfall::Existing::refuse);    // before the work
//   landfall::write_run_folder("run", [&](const std::filesystem::path& folder) {
//     landfall::write_text(folder / "x.txt", "1\n");
//     landfall::write_text(landfall::summary_in(folder), "{}\n");
//   });
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace landfall {

/// What to do with a folder that exists.
enum class Existing {
  refuse,   // unless it is empty
  replace,  // if it is empty or the folder of a run that holds nothing but what runs wrote
  resume,   // if it is the folder of an unfinished run
};

/// UsageError: the existing folder may not be used that way; DataError: the folder cannot be created.
void require_usable_folder(const std::filesystem::path& path, Existing existing);

/// The names of the summary and of the checkpoint in a run folder.
std::filesystem::path summary_in(const std::filesystem::path& run);
std::filesystem::path checkpoint_in(const std::filesystem::path& run);

/// Creates the folder, or removes the files of a finished run from it, which is about to be replaced.
void begin_run_folder(const std::filesystem::path& path);

/// The files are written into a temporary folder inside the run folder. When all are there, they replace what a
/// run wrote before, summary.json last. If one cannot be written, the run folder stays as it was. Their names are listed in
/// `.landfall`: files that are not are the user's, and are never removed.
void write_run_folder(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& folder)>& write_files);

/// The whole file or nothing.
void write_text(const std::filesystem::path& path, std::string_view text);

/// The largest number of bytes this process has had in memory.
std::uint64_t peak_memory();

}  // namespace landfall
