#include <landfall/data/formats/text_stream.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

LineReader::LineReader(const InputFile& file) : stream_(plain_bytes(file)) {}

LineReader::LineReader(const std::filesystem::path& path) : stream_(as_utf8(open_bytes(path))) {}

std::optional<std::string_view> LineReader::next() {
  if (number_ == 0 && ahead(byte_order_mark.size()).starts_with(byte_order_mark))
    position_ += byte_order_mark.size();
  start_ = position_;
  const std::size_t end = find_end(start_);
  if (end == std::string::npos && start_ == buffer_.size()) {
    drop_buffer();  // of many files read one after the other, one takes memory
    return std::nullopt;
  }
  taken_ = 0;
  return take(end);
}

std::optional<std::string_view> LineReader::extend() {
  const std::size_t end = find_end(position_);
  if (end == std::string::npos && position_ == buffer_.size()) return std::nullopt;
  return take(end);
}

void LineReader::put_back() {
  position_ = start_;
  number_ -= taken_;
  taken_ = 0;
}

std::string_view LineReader::ahead(std::size_t count) {
  start_ = position_;
  while (buffer_.size() - position_ < count && refill()) {
  }
  return std::string_view(buffer_).substr(position_);
}

void LineReader::peek(std::size_t count, std::vector<std::string_view>& lines) {
  lines.clear();
  if (number_ == 0) return;  // there may be a byte order mark
  start_ = position_;
  std::size_t end = find_end(position_), from = position_;  // which may have moved
  for (; end != std::string::npos && lines.size() < count; end = buffer_.find('\n', from)) {
    std::string_view line = std::string_view(buffer_).substr(from, end - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    from = end + 1;
  }
}

void LineReader::skip(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) position_ = buffer_.find('\n', position_) + 1;
  start_ = position_;
  number_ += static_cast<Index>(count);
  taken_ = 0;
}

void LineReader::rewind() {
  stream_->rewind();
  drop_buffer();
  number_ = taken_ = 0;
}

void LineReader::drop_buffer() {
  buffer_ = std::string();
  start_ = position_ = 0;
}

std::uint64_t LineReader::bytes_left() const {
  const std::uint64_t buffered = buffer_.size() - position_, beyond = stream_->most_left();
  return beyond + std::min(buffered, std::numeric_limits<std::uint64_t>::max() - beyond);
}

/// Where the line break at or after `from` is, reading on until there is one. Moves what start_ points to.
std::size_t LineReader::find_end(std::size_t from) {
  std::size_t end = buffer_.find('\n', from);
  while (end == std::string::npos) {
    const std::size_t searched = buffer_.size() - start_;  // what is kept moves to the front
    if (!refill()) break;
    end = buffer_.find('\n', searched);
  }
  return end;
}

/// The text from start_ up to the line break at `end`.
std::string_view LineReader::take(std::size_t end) {
  std::string_view line(buffer_);
  line = line.substr(start_, end == std::string::npos ? end : end - start_);
  position_ = end == std::string::npos ? buffer_.size() : end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  ++taken_;
  return line;
}

/// Appends more text; drops what is before start_. False at the end.
bool LineReader::refill() {
  constexpr std::size_t chunk = 1 << 18, longest = 1 << 26;
  buffer_.erase(0, start_);
  position_ -= start_;
  start_ = 0;
  const std::size_t kept = buffer_.size();
  if (kept >= longest)
    throw DataError(fmt::format("{}: line {}: longer than {} bytes", name(), number_ + 1, longest));
  buffer_.resize(kept + static_cast<std::size_t>(std::min<std::uint64_t>(chunk, stream_->most_left())));
  const std::size_t count =
      stream_->read(std::as_writable_bytes(std::span(buffer_.data() + kept, buffer_.size() - kept)));
  buffer_.resize(kept + count);
  return count > 0;
}

}  // namespace landfall
