#include <landfall/data/io/gzip.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace landfall {
bool is_gzip(const InputFile& file) {
  std::array<std::byte, 2> start{};
  if (file.size() < start.size()) return false;
  file.read(0, start);
  return start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

struct GzipReader::State {
  z_stream stream{};
  std::vector<std::byte> input = std::vector<std::byte>(1 << 16);
  std::uint64_t read = 0;  // bytes that were given to zlib
  bool ended = false;
};

GzipReader::GzipReader(const InputFile& file) : owned_(plain_bytes(file)), packed_(*owned_) {
  if (!is_gzip(file)) throw DataError(fmt::format("{}: not gzip data", file.name()));
  start();
}

GzipReader::GzipReader(ByteStream& packed) : packed_(packed) {
  start();
}

void GzipReader::start() {
  state_ = std::make_unique<State>();
  constexpr int gzip_alone = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, gzip_alone) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

void GzipReader::rewind() {
  packed_.rewind();
  inflateReset(&state_->stream);
  state_->stream.avail_in = 0;
  state_->read = 0;
  state_->ended = false;
}

/// More bytes behind those that zlib has not used yet; false when there are none.
bool GzipReader::refill() {
  z_stream& stream = state_->stream;
  auto& input = state_->input;
  if (stream.avail_in > 0) std::memmove(input.data(), stream.next_in, stream.avail_in);
  const std::size_t count = packed_.read(std::span(input).subspan(stream.avail_in));
  state_->read += count;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in += static_cast<uInt>(count);
  return count > 0;
}

/// Another member may follow, nothing else.
void GzipReader::finish_member() {
  z_stream& stream = state_->stream;
  while (stream.avail_in < 2 && refill()) {
  }
  if (stream.avail_in == 0) {
    state_->ended = true;
  } else if (stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b) {
    inflateReset(&stream);
  } else {
    const bool counted = packed_.rewindable();  // a file
    throw DataError(
        fmt::format("{}: too long: {} after the end of the gzip data", packed_.name(),
                    counted ? fmt::format("{} bytes", stream.avail_in + packed_.most_left()) : "something"));
  }
}

std::size_t GzipReader::read(std::span<std::byte> out) {
  z_stream& stream = state_->stream;
  std::size_t written = 0;
  // A member's checksum comes after its last byte, so the last call for a member may write nothing.
  while (written < out.size() && !state_->ended) {
    if (stream.avail_in == 0 && !refill())
      throw DataError(
          fmt::format("{}: truncated: the gzip data ends after {} bytes", packed_.name(), state_->read));
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(out.size() - written, std::numeric_limits<uInt>::max()));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = room;
    const int status = inflate(&stream, Z_NO_FLUSH);
    written += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      finish_member();
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK) {
      // zlib's words for the two sums at the end of a member.
      const std::string_view said = stream.msg != nullptr ? stream.msg : "not in gzip format";
      throw DataError(fmt::format("{}: damaged gzip data: {}", packed_.name(),
                                  said == "incorrect data check"     ? "checksum does not match"
                                  : said == "incorrect length check" ? "length does not match"
                                                                     : said));
    }
  }
  return written;
}

}  // namespace landfall
