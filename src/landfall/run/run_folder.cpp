#include <landfall/data/io/file.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace landfall {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSummary = "summary.json";
constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kFresh = "new.tmp";    // files that are still being written
constexpr const char* kOld = "old.tmp";      // those that they replace
constexpr const char* kFiles = ".landfall";  // the files of a finished run, a name in each line

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
    if (name == kSummary || name == kCheckpoint || name == kFresh || name == kOld) return true;
    if (name.starts_with(kCheckpoint) && name.ends_with(".tmp")) return true;
  }
  return false;
}

using FileNames = std::set<std::string>;

/// Of all files below a folder, relative to it. Links are files.
FileNames names_below(const fs::path& folder) {
  FileNames names;
  std::error_code error;
  const fs::recursive_directory_iterator end;
  for (fs::recursive_directory_iterator entry(folder, error); !error && entry != end; entry.increment(error))
    if (entry->is_symlink() || !entry->is_directory())
      names.insert(entry->path().lexically_relative(folder).string());
  return names;
}

/// The files that a run wrote into a folder: those it has listed, its checkpoint, and what it was writing.
class RunFiles {
 public:
  explicit RunFiles(const fs::path& folder) : folder_(folder) {
    std::ifstream list(folder / kFiles);
    for (std::string name; std::getline(list, name);) listed_.insert(name);
    if (list.bad()) throw DataError(fmt::format("{}: cannot be read", (folder / kFiles).string()));
  }
  bool contains(const std::string& name) const {
    const bool temporary = name.ends_with(".tmp") && std::ranges::any_of(listed_, [&](const auto& file) {
                             return name.starts_with(file + ".");
                           });
    return listed_.contains(name) || temporary || is_figure(name) ||
           name.starts_with(std::string(kFresh) + "/") || name.starts_with(std::string(kOld) + "/") ||
           (name.starts_with(std::string(kCheckpoint) + ".") && name.ends_with(".tmp"));
  }

 private:
  /// What `landfall report --figures` wrote later, by how it begins: nobody's own drawing is taken for one.
  bool is_figure(const std::string& name) const {
    if (!name.starts_with("figures/") || !name.ends_with(".svg")) return false;
    std::ifstream file(folder_ / name);
    std::string first;
    return std::getline(file, first) && first.find("data-landfall=") != std::string::npos;
  }

  fs::path folder_;
  FileNames listed_{kSummary, kCheckpoint, kFiles};
};

/// Moves the files of a run to another folder, or removes them where none is given, and the folders that are empty without
/// them. The list stays: until the last one is gone, it says whose they are.
void take_files(const fs::path& folder, const fs::path& except, const fs::path& to) {
  const RunFiles ours(folder);
  std::vector<fs::path> folders;
  for (const auto& name : names_below(folder)) {
    const fs::path path = folder / name;
    if (name == kFiles || !ours.contains(name) ||
        (!to.empty() && name.starts_with(std::string(kOld) + "/")) ||
        (!except.empty() && path.string().starts_with(except.string() + "/")))
      continue;
    if (to.empty()) {
      fs::remove(path);
    } else {
      fs::create_directories((to / name).parent_path());
      fs::rename(path, to / name);
    }
    folders.push_back(path.parent_path());
  }
  std::error_code full;
  for (fs::path above : folders)
    for (; above != folder && fs::remove(above, full); above = above.parent_path()) {
    }
}

void list_files(const fs::path& folder) {
  std::string list;
  for (const auto& name : names_below(folder)) list += name + "\n";
  write_text(folder / kFiles, list);
}

/// As it was before take_files() to `old`, as far as the disk allows. `taken`: that had come to its end, so that what is in
/// the folder and the run's is new.
void put_back(const fs::path& folder, const fs::path& old, bool taken) noexcept {
  std::error_code error;
  try {
    const RunFiles ours(folder);
    const FileNames before = names_below(old);
    for (const auto& name : names_below(folder))
      if (taken && ours.contains(name) && !name.starts_with(std::string(kOld) + "/") &&
          !name.starts_with(std::string(kFresh) + "/"))
        fs::remove(folder / name, error);
    for (const auto& name : before) {
      fs::create_directories((folder / name).parent_path(), error);
      fs::rename(old / name, folder / name, error);
    }
    fs::remove_all(old, error);
  } catch (
      const std::exception&) {  // no memory, or a list that cannot be read: the old files stay where they are
  }
}

/// Replaces the old files by the new ones, which are in a folder inside; in between the run is not finished.
void replace_files(const fs::path& folder, const fs::path& fresh) {
  const fs::path old = fresh.parent_path() / kOld;
  bool taken = false;
  list_files(fresh);
  try {
    fs::remove_all(old);
    fs::create_directory(old);
    if (fs::exists(folder / kSummary)) fs::rename(folder / kSummary, old / kSummary);
    take_files(folder, fresh, old);
    if (fs::exists(folder / kFiles)) fs::copy_file(folder / kFiles, old / kFiles);
    taken = true;
    fs::rename(fresh / kFiles, folder / kFiles);
    for (const auto& entry : fs::directory_iterator(fresh))
      if (entry.path().filename() != kSummary) fs::rename(entry.path(), folder / entry.path().filename());
    sync_folder(folder);
    fs::rename(fresh / kSummary, folder / kSummary);
  } catch (const fs::filesystem_error& error) {
    put_back(folder, old, taken);
    throw DataError(fmt::format("{}: cannot be written: {}", folder.string(), error.code().message()));
  } catch (...) {
    put_back(folder, old, taken);
    throw;
  }
  std::error_code left;  // the new result is there
  fs::remove_all(fresh, left);
  fs::remove_all(old, left);
  sync_folder(folder);
}

void refuse_foreign_files(const fs::path& folder) {
  const RunFiles ours(folder);
  for (const auto& name : names_below(folder))
    if (!ours.contains(name))
      throw UsageError(fmt::format("{}: not written by the run, so the folder was not changed; move the file",
                                   (folder / name).string()));
}

}  // namespace

void require_usable_folder(const fs::path& path, Existing existing) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    const bool finished = fs::exists(path / kSummary, error), run = is_run(path);
    const bool empty = fs::is_directory(path, error) && fs::is_empty(path, error);
    if (existing == Existing::refuse && run && !finished)
      throw UsageError(
          fmt::format("{}: an unfinished run; --resume continues it, --force replaces it", path.string()));
    if (existing == Existing::refuse && !empty)
      throw UsageError(
          fmt::format("{}: already exists; choose another folder or use --force", path.string()));
    if (existing == Existing::resume && finished)
      throw UsageError(fmt::format("{}: a finished run; there is nothing to resume", path.string()));
    if (!run && !empty)
      throw UsageError(fmt::format("{}: not a run folder, so it was not changed", path.string()));
    if (existing == Existing::replace) refuse_foreign_files(path);
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
  try {
    take_files(path, {}, {});
    remove_file(path / kFiles);
  } catch (const fs::filesystem_error& error) {
    throw DataError(fmt::format("{}: cannot be replaced: {}", path.string(), error.code().message()));
  }
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
