// Bytes in order, wherever they come from: a file, plain or gzip-compressed, or standard input.
//
//   auto bytes = landfall::open_bytes("rows.csv.gz");              // "-" is standard input
//   const std::string first = landfall::read_up_to(*bytes, 100);
//   bytes = landfall::put_back(first, std::move(bytes));           // nothing is lost of it
//   bytes = landfall::as_utf8(std::move(bytes));                   // of UTF-16 too
#pragma once

#include <landfall/data/io/file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace landfall {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual const std::string& name() const = 0;
  /// Fills a first part of out and returns its length, 0 at the end only.
  virtual std::size_t read(std::span<std::byte> out) = 0;
  /// A number that the bytes not read yet do not exceed.
  virtual std::uint64_t most_left() const = 0;
  virtual bool rewindable() const { return true; }
  /// Back to the first byte; UsageError where that cannot be.
  virtual void rewind() = 0;
};

/// Plain or gzip-compressed, by content; "-" is standard input, which cannot be rewound.
std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path);

/// A file as it is, which must outlive the stream.
std::unique_ptr<ByteStream> plain_bytes(const InputFile& file);

/// The next bytes, fewer only at the end.
std::string read_up_to(ByteStream& stream, std::size_t count);

/// The stream as it was before its first bytes were read.
std::unique_ptr<ByteStream> put_back(std::string first, std::unique_ptr<ByteStream> rest);

/// The text as UTF-8 where a byte order mark says that it is UTF-16, else as it is.
std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> bytes);

}  // namespace landfall
