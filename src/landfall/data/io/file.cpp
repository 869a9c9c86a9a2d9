#include <landfall/data/io/file.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace landfall {
namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

FileStamp::FileStamp(const std::filesystem::path& path, std::string name, int descriptor)
    : name_(std::move(name)) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  struct stat status {};
  if (error || name_ != path.string() || ::fstat(descriptor, &status) != 0) return;
  path_ = whole.string();
  device_ = status.st_dev;
  number_ = status.st_ino;
  size_ = static_cast<std::uint64_t>(status.st_size);
  seconds_ = status.st_mtim.tv_sec;
  nanoseconds_ = status.st_mtim.tv_nsec;
}

void FileStamp::require_unchanged() const {
  struct stat now {};
  if (path_.empty() || ::stat(path_.c_str(), &now) != 0) return;
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (now.st_dev != device_ || now.st_ino != number_)
    throw DataError(fmt::format("{}: replaced by another file while it was being read", name_));
  if (size != size_)
    throw DataError(
        fmt::format("{}: changed while it was being read: {} bytes, {} when opened", name_, size, size_));
  if (now.st_mtim.tv_sec != seconds_ || now.st_mtim.tv_nsec != nanoseconds_)
    throw DataError(fmt::format("{}: written to while it was being read", name_));
}

InputFile::InputFile(const std::filesystem::path& path) : name_(shown_name(path)) {
  // O_NONBLOCK: opening a pipe must not wait for a writer before it is refused below.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    if (errno == ENOENT) throw DataError(fmt::format("{}: no such file", name_));
    throw DataError(fmt::format("{}: cannot be opened: {}", name_, reason(errno)));
  }
  struct stat status {};
  std::string refusal;
  if (::fstat(descriptor_, &status) != 0)
    refusal = fmt::format("{}: cannot be opened: {}", name_, reason(errno));
  else if (S_ISDIR(status.st_mode))
    refusal = fmt::format("{}: a folder, expected a file", name_);
  else if (!S_ISREG(status.st_mode))
    refusal = fmt::format("{}: not a regular file", name_);
  if (!refusal.empty()) {
    ::close(descriptor_);
    throw DataError(refusal);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  stamp_ = FileStamp(path, name_, descriptor_);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw DataError(fmt::format("{}: cannot be read: {}", name_, reason(errno)));
    if (count == 0) stamp_.require_unchanged();
    if (count == 0)
      throw DataError(
          fmt::format("{}: truncated: expected {} bytes, found {}", name_, offset + out.size(), offset));
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  stamp_.require_unchanged();  // after the bytes were read: none of a changed file are handed over
}

void sync_folder(const std::filesystem::path& path) {
  const int folder = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

AtomicFile::AtomicFile(const std::filesystem::path& path) : name_(path.string()), target_(path) {
  // A symbolic link stays one: what it points to is replaced.
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) target_ = std::filesystem::weakly_canonical(path, error);
  const auto status = std::filesystem::status(target_, error);
  if (std::filesystem::is_directory(status))
    throw DataError(fmt::format("{}: a folder, expected a file", name_));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw DataError(fmt::format("{}: not a regular file", name_));
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += fmt::format(".{}.{}.tmp", ::getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 1000)) fail(errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) const {
  throw DataError(fmt::format("{}: cannot be written: {}", name_, reason(error)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::overwrite(std::uint64_t offset, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::commit() {
  // The data must be on the disk before the name is: a full disk may only be noticed here.
  if (::fsync(descriptor_) != 0) fail(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  sync_folder(target_.parent_path());
  ::close(descriptor_);
  descriptor_ = -1;
}

void remove_file(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw DataError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()));
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw DataError(fmt::format("{}: cannot create the folder: {}", path.string(), error.message()));
}

}  // namespace landfall
