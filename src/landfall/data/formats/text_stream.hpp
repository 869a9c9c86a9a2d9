// Lines of text with their numbers, from a file, plain or gzip-compressed, or from standard input.
//
//   landfall::LineReader lines("rows.csv");   // "-" is standard input
//   while (auto line = lines.next()) use(lines.number(), *line);
//   lines.rewind();
#pragma once

#include <landfall/data/io/byte_stream.hpp>
#include <landfall/linalg/types.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace landfall {

/// The lines of a text, without "\n" or "\r\n", in a buffer of about 256 KiB, which stays in the cache;
/// longer only for a longer line. A byte order mark before the first line is skipped.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteStream> stream);
  /// The file must outlive the reader.
  explicit LineReader(const InputFile& file);
  /// Plain or gzip-compressed, UTF-8 or UTF-16, by content; "-" is standard input.
  explicit LineReader(const std::filesystem::path& path);

  /// The next line, valid until the next call; nothing at the end.
  std::optional<std::string_view> next();
  /// The last line once more with the line after it, "\n" between them; nothing when there is none after it.
  std::optional<std::string_view> extend();
  /// The last line, extended or not, will be the next one again. Only once after next().
  void put_back();
  /// The text to come, at least `count` bytes of it or all, valid until the next call. Nothing is taken.
  std::string_view ahead(std::size_t count);

  /// The next lines that the buffer holds whole, at most `count`, valid until the next call. Nothing is taken. None before the
  /// first line.
  void peek(std::size_t count, std::vector<std::string_view>& lines);
  /// Takes so many of them.
  void skip(std::size_t count);

  /// Back to the first line; UsageError for standard input.
  void rewind();
  bool rewindable() const { return stream_->rewindable(); }

  const std::string& name() const { return stream_->name(); }  // for messages
  Index number() const { return number_; }                     // of the line last returned, from 1
  std::uint64_t bytes_left() const;                            // at most, after that line

 private:
  bool refill();
  std::size_t find_end(std::size_t from);
  std::string_view take(std::size_t end);
  void drop_buffer();

  std::unique_ptr<ByteStream> stream_;
  std::string buffer_;
  std::size_t start_ = 0;     // of the last line in the buffer
  std::size_t position_ = 0;  // of the next line
  Index number_ = 0;
  Index taken_ = 0;  // lines in the last one: more than one after extend()
};

}  // namespace landfall
