#include <landfall/errors.hpp>
#include <landfall/run/run_lock.hpp>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace landfall {

namespace fs = std::filesystem;

namespace {

// A process that was killed takes a moment to go: who resumes its run at once should not be refused.
constexpr int kAttempts = 50;
constexpr std::chrono::milliseconds kPause(20);

}  // namespace

RunLock::RunLock(const fs::path& path, Existing existing) {
  require_usable_folder(path, existing);
  try {
    do create(path);
    while (!try_lock(path));                // the run that had it may have removed its folder meanwhile
    require_usable_folder(path, existing);  // or it has finished
  } catch (...) {
    release();
    throw;
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), created_(std::move(other.created_)) {
  other.created_.clear();
}

RunLock::~RunLock() {
  release();
}

void RunLock::release() {
  for (; !created_.empty(); created_.pop_back())
    if (::rmdir(created_.back().c_str()) != 0) break;  // it holds the run, or another one
  created_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void RunLock::create(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  for (; !fs::exists(folder, error) && folder.has_relative_path(); folder = folder.parent_path())
    missing.push_back(folder);
  for (; !missing.empty(); missing.pop_back())
    if (::mkdir(missing.back().c_str(), 0777) == 0)
      created_.push_back(missing.back());
    else if (errno != EEXIST)
      throw DataError(fmt::format("{}: cannot create the folder: {}", path.string(),
                                  std::generic_category().message(errno)));
}

/// False: the folder is not there any more.
bool RunLock::try_lock(const fs::path& path) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENOENT) return false;
  if (descriptor_ < 0)
    throw DataError(
        fmt::format("{}: cannot be opened: {}", path.string(), std::generic_category().message(errno)));
  bool locked_by_other = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    locked_by_other = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!locked_by_other) break;
    std::this_thread::sleep_for(kPause);
  }
  if (locked_by_other)
    throw UsageError(fmt::format("{}: another run is writing into this folder", path.string()));
  struct stat locked {
  }, named{};
  return ::fstat(descriptor_, &locked) != 0 ||
         (::stat(path.c_str(), &named) == 0 && named.st_dev == locked.st_dev &&
          named.st_ino == locked.st_ino);
}

}  // namespace landfall
