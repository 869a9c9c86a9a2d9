// A gzip-compressed file, decompressed while it is read: memory does not grow with the file.
//
//   landfall::InputFile file("words.csv.gz");
//   landfall::GzipReader gzip(file);
//   std::vector<std::byte> buffer(1 << 16);
//   while (const std::size_t count = gzip.read(buffer)) use(std::span(buffer).first(count));
#pragma once

#include <landfall/data/io/byte_stream.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace landfall {

/// The file begins as gzip data do.
bool is_gzip(const InputFile& file);

/// Reads one or several gzip members, as `cat a.gz b.gz` makes them. What it reads from must outlive it.
class GzipReader {
 public:
  /// Throws DataError when the file is not gzip data.
  explicit GzipReader(const InputFile& file);
  /// Of bytes that are to be read from the first on, and begin as gzip data do.
  explicit GzipReader(ByteStream& packed);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Fills out, or as much of it as there is left; returns how many bytes, 0 at the end. DataError when the
  /// data are damaged (the checksum and length of each member are compared), cut short, or followed by
  /// something else.
  std::size_t read(std::span<std::byte> out);

  /// Back to the first byte.
  void rewind();

 private:
  struct State;

  void start();
  bool refill();
  void finish_member();

  std::unique_ptr<ByteStream> owned_;
  ByteStream& packed_;
  std::unique_ptr<State> state_;
};

}  // namespace landfall
