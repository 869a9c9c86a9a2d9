// Files, with errors that name them: positioned reads, and writes that happen whole or not at all.
//
//   landfall::InputFile file("A.txt");       // DataError: "A.txt: no such file"
//   use(file.size());
//
//   landfall::AtomicFile out("B.txt");       // a temporary file beside B.txt
//   out.write("1 2 3\n");
//   out.commit();                            // only now is there a B.txt, or a new one
#pragma once

#include <landfall/linalg/types.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace landfall {

/// What a file was when it was opened, to notice that it has changed since.
class FileStamp {
 public:
  FileStamp() = default;  // of no file: never changes
  /// Of an open file. `name` is for messages. A copy that has no name (spool.hpp) is nobody else's, and is not watched.
  FileStamp(const std::filesystem::path& path, std::string name, int descriptor);

  /// DataError: the file was cut, written to or replaced since. One that was removed is still there for who has it open.
  void require_unchanged() const;

 private:
  std::string path_, name_;
  std::uint64_t device_ = 0, number_ = 0, size_ = 0;
  std::int64_t seconds_ = 0, nanoseconds_ = 0;  // of its last modification
};

/// A regular file opened for reading.
class InputFile {
 public:
  /// Throws DataError when the file is missing, a folder, not a regular file, or must not be read.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }  // the path as given, for messages
  std::uint64_t size() const { return size_; }       // bytes, when opened
  int descriptor() const { return descriptor_; }     // to map it; stays this object's
  const FileStamp& stamp() const { return stamp_; }

  /// Fills out with the bytes from offset on; DataError when the file ends before, or is not the one opened any more.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  FileStamp stamp_;
};

/// A file that appears under its name complete, or not at all: written beside it, then renamed. An existing
/// file of that name keeps its content until commit(); without commit() the temporary file is removed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// For a library that writes by name: what is under this name at commit() is the content.
  const std::filesystem::path& temporary() const { return temporary_; }

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Replaces bytes written before, as a header that counts what follows it; the next write() still appends.
  void overwrite(std::uint64_t offset, std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
};

/// The names in a folder are on the disk, where its file system can promise that.
void sync_folder(const std::filesystem::path& path);

/// Nothing when there is no such file; DataError when it cannot be removed.
void remove_file(const std::filesystem::path& path);

/// Makes the folder, and those above it, if it is missing; DataError when it cannot be.
void make_folder(const std::filesystem::path& path);

}  // namespace landfall
