#include <landfall/data/io/file.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace landfall {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSummary = "summary.json";
constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kFresh = "new.tmp";  // files that are still being written

/// Absolute and without a trailing slash.
fs::path whole_path(const fs::path& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

[[noreturn]] void refuse(const fs::path& path, const std::error_code& error) {
  throw DataError(fmt::format("{}: cannot create the folder: {}", path.string(), error.message()));
}

/// Of a run that is finished, was interrupted, or was killed while it wrote its first checkpoint or its result.
bool is_run(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename();
    if (name == kSummary || name == kCheckpoint || name == kFresh) return true;
    if (name.starts_with(kCheckpoint) && name.ends_with(".tmp")) return true;
  }
  return false;
}

/// Replaces the old files by the new ones, which are in a folder inside; in between the run is not finished.
void replace_files(const fs::path& folder, const fs::path& fresh) {
  try {
    remove_file(folder / kSummary);
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path() != fresh && !fs::exists(fresh / entry.path().filename())) fs::remove_all(entry.path());
    for (const auto& entry : fs::directory_iterator(fresh))
      if (entry.path().filename() != kSummary) fs::rename(entry.path(), folder / entry.path().filename());
    sync_folder(folder);
    fs::rename(fresh / kSummary, folder / kSummary);
    fs::remove_all(fresh);
    sync_folder(folder);
  } catch (const fs::filesystem_error& error) {
    throw DataError(fmt::format("{}: cannot be written: {}", folder.string(), error.code().message()));
  }
}

}  // namespace

void require_usable_folder(const fs::path& path, Existing existing) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    const bool finished = fs::exists(path / kSummary, error), run = is_run(path);
    const bool ours = run || (fs::is_directory(path, error) && fs::is_empty(path, error));
    if (existing == Existing::refuse && run && !finished)
      throw UsageError(
          fmt::format("{}: an unfinished run; --resume continues it, --force replaces it", path.string()));
    if (existing == Existing::refuse)
      throw UsageError(
          fmt::format("{}: already exists; choose another folder or use --force", path.string()));
    if (existing == Existing::resume && finished)
      throw UsageError(fmt::format("{}: a finished run; there is nothing to resume", path.string()));
    if (!ours) throw UsageError(fmt::format("{}: not a run folder, so it was not changed", path.string()));
  }
  fs::path above = whole_path(path);
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error)) refuse(path, std::make_error_code(std::errc::not_a_directory));
  if (::access(above.c_str(), W_OK | X_OK) != 0) refuse(path, {errno, std::generic_category()});
}

fs::path summary_in(const fs::path& run) {
  return run / kSummary;
}

fs::path checkpoint_in(const fs::path& run) {
  return run / kCheckpoint;
}

void begin_run_folder(const fs::path& path) {
  make_folder(path);
  if (!fs::exists(path / kSummary)) return;
  remove_file(path / kSummary);  // first: what is left is not a finished run
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path)) fs::remove_all(entry.path(), error);
}

void write_run_folder(const fs::path& path, const std::function<void(const fs::path& folder)>& write_files) {
  const fs::path full = whole_path(path), fresh = full / kFresh;
  std::error_code error;
  const bool made = !fs::exists(full, error);
  fs::remove_all(fresh, error);  // of a run that was killed
  fs::create_directories(fresh, error);
  if (error) refuse(path, error);
  try {
    write_files(fresh);
    replace_files(full, fresh);
    sync_folder(full.parent_path());
  } catch (...) {
    fs::remove_all(made ? full : fresh, error);
    throw;
  }
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::uint64_t peak_memory() {
  // Rather than ru_maxrss, which a process inherits from the one that started it.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace landfall
