#include <landfall/data/io/byte_stream.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace landfall {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw DataError(fmt::format("{}: {}: {}", name, what, std::generic_category().message(errno)));
}

class FileStream : public ByteStream {
 public:
  explicit FileStream(const InputFile& file) : file_(file) {}
  explicit FileStream(std::unique_ptr<InputFile> file) : owned_(std::move(file)), file_(*owned_) {}

  const std::string& name() const override { return file_.name(); }
  std::size_t read(std::span<std::byte> out) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), most_left()));
    file_.read(read_, out.first(count));
    read_ += count;
    return count;
  }
  std::uint64_t most_left() const override { return file_.size() - read_; }
  void rewind() override { read_ = 0; }

 private:
  std::unique_ptr<InputFile> owned_;
  const InputFile& file_;
  std::uint64_t read_ = 0;
};

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> packed)
      : packed_(std::move(packed)),
        // Deflate makes 258 bytes of two bits at best.
        most_(packed_->most_left() > unlimited / 1032 ? unlimited : 1032 * packed_->most_left()),
        gzip_(*packed_) {}

  const std::string& name() const override { return packed_->name(); }
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = gzip_.read(out);
    read_ += count;
    return count;
  }
  std::uint64_t most_left() const override { return most_ - read_; }
  bool rewindable() const override { return packed_->rewindable(); }
  void rewind() override {
    gzip_.rewind();
    read_ = 0;
  }

 private:
  std::unique_ptr<ByteStream> packed_;
  std::uint64_t most_;
  GzipReader gzip_;
  std::uint64_t read_ = 0;
};

class StandardInput : public ByteStream {
 public:
  const std::string& name() const override { return name_; }
  std::size_t read(std::span<std::byte> out) override {
    for (;;) {
      const ssize_t count = ::read(STDIN_FILENO, out.data(), out.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail(name_, "cannot be read");
    }
  }
  std::uint64_t most_left() const override { return unlimited; }
  bool rewindable() const override { return false; }
  void rewind() override {
    throw UsageError(fmt::format("{}: cannot be read twice; expected a file", name_));
  }

 private:
  std::string name_ = "standard input";
};

class PutBack : public ByteStream {
 public:
  PutBack(std::string first, std::unique_ptr<ByteStream> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  const std::string& name() const override { return rest_->name(); }
  std::size_t read(std::span<std::byte> out) override {
    if (given_ == first_.size()) return rest_->read(out);
    const auto from = std::as_bytes(std::span(first_)).subspan(given_);
    const std::size_t count = std::min(from.size(), out.size());
    std::copy_n(from.begin(), count, out.begin());
    given_ += count;
    return count;
  }
  std::uint64_t most_left() const override {
    const std::uint64_t beyond = rest_->most_left();
    return beyond + std::min<std::uint64_t>(first_.size() - given_, unlimited - beyond);
  }
  bool rewindable() const override { return rest_->rewindable(); }
  void rewind() override {
    rest_->rewind();
    given_ = first_.size();  // the rest begins with these bytes again
  }

 private:
  std::string first_;
  std::unique_ptr<ByteStream> rest_;
  std::size_t given_ = 0;
};

/// UTF-16 as UTF-8. What is no character becomes a question mark.
class Utf16Stream : public ByteStream {
 public:
  Utf16Stream(std::unique_ptr<ByteStream> units, bool big)
      : units_(std::move(units)), big_(big), buffer_(1 << 16) {}

  const std::string& name() const override { return units_->name(); }
  std::size_t read(std::span<std::byte> out) override {
    while (given_ == text_.size()) {
      text_.clear();
      given_ = 0;
      const std::size_t count = units_->read(std::span(buffer_).subspan(left_));
      if (count == 0) return 0;
      decode(left_ + count);
    }
    const auto from = std::as_bytes(std::span(text_)).subspan(given_);
    const std::size_t count = std::min(from.size(), out.size());
    std::copy_n(from.begin(), count, out.begin());
    given_ += count;
    return count;
  }
  std::uint64_t most_left() const override {  // three bytes of two at most
    const std::uint64_t units = units_->most_left();
    return units > unlimited / 4 ? unlimited : 2 * units + 8 + text_.size() - given_;
  }
  bool rewindable() const override { return units_->rewindable(); }
  void rewind() override {
    units_->rewind();
    text_.clear();
    left_ = given_ = 0;
  }

 private:
  std::uint32_t unit(std::size_t at) const {
    const auto first = std::to_integer<std::uint32_t>(buffer_[at]),
               second = std::to_integer<std::uint32_t>(buffer_[at + 1]);
    return big_ ? first << 8 | second : second << 8 | first;
  }

  void decode(std::size_t size) {
    std::size_t at = 0;
    for (; at + 1 < size; at += 2) {
      std::uint32_t code = unit(at);
      if (code >= 0xD800 && code < 0xDC00) {  // the first of a pair
        if (at + 3 >= size) break;
        code = 0x10000 + ((code - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
        at += 2;
      }
      append(code);
    }
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at),
              buffer_.begin() + static_cast<std::ptrdiff_t>(size), buffer_.begin());
    left_ = size - at;
  }

  void append(std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text_ += static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | code >> 6);
      put(0x80 | (code & 0x3F));
    } else if (code >= 0xD800 && (code < 0xE000 || code > 0x10FFFF)) {
      put('?');
    } else if (code < 0x10000) {
      put(0xE0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3F));
      put(0x80 | (code & 0x3F));
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
      put(0x80 | (code >> 6 & 0x3F));
      put(0x80 | (code & 0x3F));
    }
  }

  std::unique_ptr<ByteStream> units_;
  bool big_;
  std::vector<std::byte> buffer_;
  std::size_t left_ = 0;  // bytes at its beginning that are not decoded yet
  std::string text_;
  std::size_t given_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path) {
  if (path == "-") {
    std::unique_ptr<ByteStream> input = std::make_unique<StandardInput>();
    const std::string start = read_up_to(*input, 2);
    input = put_back(start, std::move(input));
    if (start != "\x1f\x8b") return input;
    return std::make_unique<GzipStream>(std::move(input));
  }
  auto file = std::make_unique<InputFile>(path);
  const bool packed = is_gzip(*file);
  auto bytes = std::make_unique<FileStream>(std::move(file));
  if (packed) return std::make_unique<GzipStream>(std::move(bytes));
  return bytes;
}

std::unique_ptr<ByteStream> plain_bytes(const InputFile& file) {
  return std::make_unique<FileStream>(file);
}

std::string read_up_to(ByteStream& stream, std::size_t count) {
  std::string text(count, '\0');
  std::size_t found = 0;
  while (found < count) {
    const std::size_t more = stream.read(std::as_writable_bytes(std::span(text)).subspan(found));
    if (more == 0) break;
    found += more;
  }
  text.resize(found);
  return text;
}

std::unique_ptr<ByteStream> put_back(std::string first, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<PutBack>(std::move(first), std::move(rest));
}

std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> bytes) {
  const std::string start = read_up_to(*bytes, 2);
  bytes = put_back(start, std::move(bytes));
  if (start != "\xFF\xFE" && start != "\xFE\xFF") return bytes;
  return std::make_unique<Utf16Stream>(std::move(bytes), start[0] == '\xFE');
}

}  // namespace landfall
