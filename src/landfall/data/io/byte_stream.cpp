#include <landfall/data/io/byte_stream.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <stdlib.h>
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

class Spool : public ByteStream {
 public:
  explicit Spool(ByteStream& stream) : name_(stream.name()) {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    std::string path = ((error ? "/tmp" : folder) / "landfall-XXXXXX").string();
    descriptor_ = ::mkstemp(path.data());
    if (descriptor_ < 0) fail(name_, kept);
    ::unlink(path.c_str());
    try {
      copy(stream);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~Spool() override { ::close(descriptor_); }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  const std::string& name() const override { return name_; }
  std::size_t read(std::span<std::byte> out) override {
    for (;;) {
      const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(read_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(name_, "cannot be read");
      read_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
  }
  std::uint64_t most_left() const override { return size_ - read_; }
  void rewind() override { read_ = 0; }

 private:
  static constexpr std::string_view kept = "cannot be copied to a temporary file";

  void copy(ByteStream& stream) {
    std::vector<std::byte> buffer(1 << 18);
    while (const std::size_t length = stream.read(buffer)) {
      for (auto rest = std::span(buffer).first(length); !rest.empty();) {
        const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(name_, kept);
        rest = rest.subspan(static_cast<std::size_t>(count));
      }
      size_ += length;
    }
  }

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0, read_ = 0;
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

std::unique_ptr<ByteStream> spool(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<Spool>(*stream);
}

}  // namespace landfall
