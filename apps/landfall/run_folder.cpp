#include "run_folder.hpp"

#include <landfall/data/file.hpp>
#include <landfall/errors.hpp>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

/// Absolute, and without the slash that may end it.
fs::path whole_path(const fs::path& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

[[noreturn]] void refuse(const fs::path& path, const std::error_code& error) {
  throw DataError(fmt::format("{}: cannot make the folder: {}", path.string(), error.message()));
}

}  // namespace

void require_new_folder(const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw UsageError(fmt::format("{}: exists already; give a run folder that does not", path.string()));
  fs::path above = whole_path(path).parent_path();
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error)) refuse(path, std::make_error_code(std::errc::not_a_directory));
  if (::access(above.c_str(), W_OK | X_OK) != 0) refuse(path, {errno, std::generic_category()});
}

void write_new_folder(const fs::path& path, const std::function<void(const fs::path& folder)>& write_files) {
  const fs::path full = whole_path(path);
  fs::path beside = full;
  beside += fmt::format(".{}.tmp", ::getpid());
  std::error_code error;
  fs::create_directories(beside, error);
  if (error) refuse(path, error);
  try {
    write_files(beside);
    fs::rename(beside, full, error);
    if (error) refuse(path, error);
  } catch (...) {
    fs::remove_all(beside, error);
    throw;
  }
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void write_json(const std::filesystem::path& path, const nlohmann::ordered_json& json) {
  AtomicFile file(path);
  file.write(json_text(json) + "\n");
  file.commit();
}

void write_summary(const std::filesystem::path& folder, const nlohmann::ordered_json& summary) {
  write_json(folder / "summary.json", summary);
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace landfall::app
