#include <landfall/data/io/file.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

/// Whether a name is inside a folder of that name.
bool inside(const std::string& name, const char* folder) {
  return name.starts_with(std::string(folder) + "/");
}

/// Removes the files of a run, and the folders that are empty without them. The list stays: until the last one is
/// gone, it says whose they are.
void remove_files(const fs::path& folder) {
  const RunFiles ours(folder);
  std::vector<fs::path> folders;
  for (const auto& name : names_below(folder)) {
    if (name == kFiles || !ours.contains(name)) continue;
    fs::remove(folder / name);
    folders.push_back((folder / name).parent_path());
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

/// Puts new files, which are in a folder inside, in the place of the old ones of a run: all of them or none. What
/// needs memory is prepared before anything is moved, since directory iterators end the program where there is none.
class Replacement {
 public:
  Replacement(const fs::path& folder, const fs::path& fresh)
      : folder_(folder), fresh_(fresh), old_(folder / kOld) {
    fs::remove_all(old_);                               // of a run that was killed
    if (fs::exists(folder / kSummary)) take(kSummary);  // first: what is left is not a finished run
    const RunFiles ours(folder);
    for (const auto& name : names_below(folder))
      if (name != kSummary && name != kFiles && ours.contains(name) && !inside(name, kOld) &&
          !inside(name, kFresh))
        take(name);
    remove_emptied_folders();
    if (fs::exists(folder / kFiles)) take(kFiles);  // last: until then it says whose the files are
    steps_.push_back({fresh / kFiles, folder / kFiles});
    for (const auto& entry : fs::directory_iterator(fresh))
      if (const fs::path name = entry.path().filename(); name != kSummary && name != kFiles)
        steps_.push_back({entry.path(), folder / name});
    steps_.push_back({fresh / kSummary, folder / kSummary});
  }

  /// The error that stopped it, with the old files back where they were, or 0.
  int apply() noexcept {
    if (const int error = make_temporary_folders()) return error;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i + 1 == steps_.size()) sync_folder(folder_);
      if (make(steps_[i])) continue;
      const int error = errno;
      while (i-- > 0) undo(steps_[i]);
      remove_temporary_folders();
      return error;
    }
    for (const Step& step : steps_)  // the new result is there
      if (step.takes) ::unlink(step.to.c_str());
    remove_temporary_folders();
    ::rmdir(fresh_.c_str());
    sync_folder(folder_);
    return 0;
  }

 private:
  /// A rename, or where `to` is empty the removal of a folder if nothing is left in it.
  struct Step {
    fs::path from, to;
    bool takes = false;  // an old file
    bool removed = false;
  };

  void take(const fs::path& name) {
    steps_.push_back({folder_ / name, old_ / name, true});
    for (fs::path above = name.parent_path(); !above.empty(); above = above.parent_path())
      names_.insert(above.string());
  }

  /// Those inside others first.
  void remove_emptied_folders() {
    for (const std::string& name : names_) {
      steps_.push_back({folder_ / name, {}});
      folders_.push_back(old_ / name);
    }
  }

  static bool make(Step& step) noexcept {
    if (!step.to.empty()) return std::rename(step.from.c_str(), step.to.c_str()) == 0;
    step.removed = ::rmdir(step.from.c_str()) == 0;
    return true;
  }

  static void undo(const Step& step) noexcept {
    if (!step.to.empty())
      std::rename(step.to.c_str(), step.from.c_str());
    else if (step.removed)
      ::mkdir(step.from.c_str(), 0777);
  }

  int make_temporary_folders() noexcept {
    int error = ::mkdir(old_.c_str(), 0777) == 0 ? 0 : errno;
    for (std::size_t i = folders_.size(); error == 0 && i-- > 0;)
      if (::mkdir(folders_[i].c_str(), 0777) != 0) error = errno;
    if (error != 0) remove_temporary_folders();
    return error;
  }

  void remove_temporary_folders() noexcept {
    for (const fs::path& folder : folders_) ::rmdir(folder.c_str());
    ::rmdir(old_.c_str());
  }

  fs::path folder_, fresh_, old_;
  std::vector<Step> steps_;
  std::set<std::string, std::greater<>> names_;  // of folders that old files are in
  std::vector<fs::path> folders_;                // the same in `old_`
};

/// In between the run is not finished.
void replace_files(const fs::path& folder, const fs::path& fresh) {
  const auto fail = [&](const std::error_code& error) {
    throw DataError(fmt::format("{}: cannot be written: {}", folder.string(), error.message()));
  };
  list_files(fresh);
  try {
    if (const int error = Replacement(folder, fresh).apply()) fail({error, std::generic_category()});
  } catch (const fs::filesystem_error& error) {
    fail(error.code());
  }
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
    remove_files(path);
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
