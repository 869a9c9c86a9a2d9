#include <landfall/data/gzip.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace landfall {
namespace {

bool magic_at(const InputFile& file, std::uint64_t offset) {
  std::array<std::byte, 2> start{};
  if (file.size() < offset + start.size()) return false;
  file.read(offset, start);
  return start[0] == std::byte{0x1f} && start[1] == std::byte{0x8b};
}

}  // namespace

bool is_gzip(const InputFile& file) {
  return magic_at(file, 0);
}

struct GzipReader::State {
  z_stream stream{};
  std::vector<std::byte> input = std::vector<std::byte>(1 << 16);
  std::uint64_t read = 0;  // bytes of the file that were given to zlib
  bool ended = false;
};

GzipReader::GzipReader(const InputFile& file) : file_(file) {
  if (!is_gzip(file)) throw DataError(fmt::format("{}: not gzip data", file.name()));
  state_ = std::make_unique<State>();
  constexpr int gzip_alone = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, gzip_alone) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

void GzipReader::rewind() {
  inflateReset(&state_->stream);
  state_->stream.avail_in = 0;
  state_->read = 0;
  state_->ended = false;
}

void GzipReader::refill() {
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(state_->input.size(), file_.size() - state_->read));
  if (count == 0)
    throw DataError(fmt::format("{}: truncated: the gzip data end after {} bytes, before they are complete",
                                file_.name(), file_.size()));
  file_.read(state_->read, std::span(state_->input).first(count));
  state_->read += count;
  state_->stream.next_in = reinterpret_cast<Bytef*>(state_->input.data());
  state_->stream.avail_in = static_cast<uInt>(count);
}

void GzipReader::finish_member() {
  const std::uint64_t end = state_->read - state_->stream.avail_in;
  if (end == file_.size()) {
    state_->ended = true;
  } else if (magic_at(file_, end)) {
    inflateReset(&state_->stream);
  } else {
    throw DataError(fmt::format("{}: too long: {} bytes after the end of the gzip data", file_.name(),
                                file_.size() - end));
  }
}

std::size_t GzipReader::read(std::span<std::byte> out) {
  z_stream& stream = state_->stream;
  std::size_t written = 0;
  // A member's checksum comes after its last byte, so the last call for a member may write nothing.
  while (written < out.size() && !state_->ended) {
    if (stream.avail_in == 0) refill();
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
      throw DataError(fmt::format("{}: damaged gzip data: {}", file_.name(),
                                  said == "incorrect data check"     ? "checksum does not match"
                                  : said == "incorrect length check" ? "length does not match"
                                                                     : said));
    }
  }
  return written;
}

}  // namespace landfall
