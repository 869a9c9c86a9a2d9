// What can be read only once (standard input, a pipe) as a file that can be read again: a copy in TMPDIR that has no
// name, so that it is gone when the program ends, however it ends.
//
//   const landfall::SpooledFile copy("-");              // reads standard input to its end
//   const landfall::InputFile file(copy.path());        // messages call it "standard input"
#pragma once

#include <landfall/data/io/byte_stream.hpp>

#include <filesystem>
#include <string>

namespace landfall {

/// "-" is standard input, and a pipe is one with or without a name, such as the shell's <(command).
bool is_read_once(const std::filesystem::path& path);

class SpooledFile {
 public:
  /// Of "-" or a pipe. DataError: it cannot be read, or the folder has not enough room: all but 256 MiB of it may be
  /// used.
  explicit SpooledFile(const std::filesystem::path& path);
  /// Of any bytes, under a name for messages.
  SpooledFile(const std::string& name, ByteStream& bytes);
  ~SpooledFile();
  SpooledFile(const SpooledFile&) = delete;
  SpooledFile& operator=(const SpooledFile&) = delete;

  /// To be opened while this object lives; who has opened it then may outlive it.
  const std::filesystem::path& path() const { return path_; }

 private:
  void open(const std::string& name);
  void copy(const std::string& name, ByteStream& bytes);
  void close();

  int descriptor_ = -1;
  std::filesystem::path folder_, path_;
};

/// What messages call a file: its path, or what it is a copy of.
std::string shown_name(const std::filesystem::path& path);

}  // namespace landfall
