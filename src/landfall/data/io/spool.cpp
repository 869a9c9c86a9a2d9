#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace landfall {
namespace {

/// Names of the copies that exist, by their paths.
struct SpoolNames {
  std::mutex mutex;
  std::map<std::string, std::string> names;
};

SpoolNames& spool_names() {
  static SpoolNames all;
  return all;
}

[[noreturn]] void spool_failed(const std::string& name, std::string_view what) {
  throw DataError(fmt::format("{}: {}: {}", name, what, std::generic_category().message(errno)));
}

/// The bytes of a descriptor, which it closes unless it is standard input.
class PipeStream final : public ByteStream {
 public:
  explicit PipeStream(const std::filesystem::path& path)
      : name_(path == "-" ? "standard input" : path.string()) {
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) spool_failed(name_, "cannot be opened");
  }
  ~PipeStream() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  PipeStream(const PipeStream&) = delete;
  PipeStream& operator=(const PipeStream&) = delete;

  const std::string& name() const override { return name_; }
  std::size_t read(std::span<std::byte> out) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out.data(), out.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) spool_failed(name_, "cannot be read");
    }
  }
  std::uint64_t most_left() const override { return std::uint64_t(-1); }
  bool rewindable() const override { return false; }
  void rewind() override { throw UsageError(fmt::format("{}: cannot be read twice", name_)); }

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace

bool is_read_once(const std::filesystem::path& path) {
  if (path == "-") return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

SpooledFile::SpooledFile(const std::filesystem::path& path) {
  PipeStream bytes(path);
  open(bytes.name());
  copy(bytes.name(), bytes);
}

SpooledFile::SpooledFile(const std::string& name, ByteStream& bytes) {
  open(name);
  copy(name, bytes);
}

SpooledFile::~SpooledFile() {
  close();
}

void SpooledFile::close() {
  auto& all = spool_names();
  const std::scoped_lock lock(all.mutex);
  all.names.erase(path_.string());
  ::close(descriptor_);
}

void SpooledFile::open(const std::string& name) {
  std::error_code error;
  folder_ = std::filesystem::temp_directory_path(error);
  if (error) folder_ = "/tmp";
  std::string path = (folder_ / "landfall-XXXXXX").string();
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) spool_failed(name, "cannot be copied to a temporary file");
  ::unlink(path.c_str());
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
  auto& all = spool_names();
  const std::scoped_lock lock(all.mutex);
  all.names[path_.string()] = name;
}

void SpooledFile::copy(const std::string& name, ByteStream& bytes) try {
  constexpr std::uint64_t looked_at = 64 << 20, left_free = 256 << 20;
  std::vector<std::byte> buffer(1 << 18);
  std::uint64_t size = 0, next_look = 0;
  while (const std::size_t length = bytes.read(buffer)) {
    if (size >= next_look) {
      struct statvfs disk {};
      if (::fstatvfs(descriptor_, &disk) == 0 && disk.f_bavail * disk.f_frsize < left_free)
        throw DataError(
            fmt::format("{}: more than {} can hold; set TMPDIR to a folder with more room, or give a file",
                        name, folder_.string()));
      next_look += looked_at;
    }
    for (auto rest = std::span(buffer).first(length); !rest.empty();) {
      const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) spool_failed(name, "cannot be copied to a temporary file");
      rest = rest.subspan(static_cast<std::size_t>(count));
    }
    size += length;
  }
} catch (...) {
  close();
  throw;
}

std::string shown_name(const std::filesystem::path& path) {
  auto& all = spool_names();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.names.find(path.string());
  return found == all.names.end() ? path.string() : found->second;
}

}  // namespace landfall
