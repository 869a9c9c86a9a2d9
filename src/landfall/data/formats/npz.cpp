#include <landfall/data/formats/npy_source.hpp>
#include <landfall/data/formats/npz.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

namespace landfall {
namespace {

/// One file of the archive.
struct ZipEntry {
  std::string name;
  unsigned method = 0;  // 0: stored, 8: deflated
  bool encrypted = false;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, unpacked = 0;  // bytes
  std::uint64_t header = 0;                // where its local header begins
};

[[noreturn]] void damaged(const InputFile& file, std::string_view what) {
  throw DataError(fmt::format("{}: damaged .npz file: {}", file.name(), what));
}

/// `size` bytes of a little-endian number.
std::uint64_t zip_number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string zip_bytes(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) damaged(file, "it ends too early");
  std::string bytes(size, '\0');
  file.read(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// Sizes beyond 4 GiB are in an extra field.
void read_zip64(std::string_view extra, ZipEntry& entry) {
  constexpr std::uint64_t elsewhere = 0xFFFFFFFF;
  while (extra.size() >= 4) {
    const auto kind = zip_number(extra, 0, 2), size = zip_number(extra, 2, 2);
    if (size > extra.size() - 4) return;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (kind != 1) continue;
    for (std::uint64_t* value : {&entry.unpacked, &entry.packed, &entry.header})
      if (*value == elsewhere && field.size() >= 8) {
        *value = zip_number(field, 0, 8);
        field.remove_prefix(8);
      }
  }
}

std::vector<ZipEntry> read_directory(const InputFile& file) {
  // The end of the archive says where its directory is; a comment of up to 64 KiB may follow.
  constexpr std::uint64_t end_bytes = 22, longest = end_bytes + 65535;
  const std::uint64_t tail = std::min<std::uint64_t>(file.size(), longest);
  const std::string last = zip_bytes(file, file.size() - tail, tail);
  const std::size_t end = last.rfind("PK\5\6");
  if (end == std::string::npos || last.size() - end < end_bytes) damaged(file, "no directory at its end");
  std::uint64_t count = zip_number(last, end + 10, 2), size = zip_number(last, end + 12, 4),
                start = zip_number(last, end + 16, 4);
  if (end >= 20 && last.compare(end - 20, 4, "PK\6\7") == 0) {
    const std::string wide = zip_bytes(file, zip_number(last, end - 12, 8), 56);
    count = zip_number(wide, 32, 8);
    size = zip_number(wide, 40, 8);
    start = zip_number(wide, 48, 8);
  }
  const std::string directory = zip_bytes(file, start, size);
  std::vector<ZipEntry> entries;
  std::size_t at = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    constexpr std::size_t fixed = 46;
    if (directory.size() - at < fixed || directory.compare(at, 4, "PK\1\2") != 0)
      damaged(file, "in its directory");
    const auto number = [&](std::size_t offset, std::size_t bytes) {
      return zip_number(directory, at + offset, bytes);
    };
    const std::size_t name = number(28, 2), extra = number(30, 2), comment = number(32, 2);
    if (directory.size() - at - fixed < name + extra + comment) damaged(file, "in its directory");
    ZipEntry entry{.name = directory.substr(at + fixed, name),
                   .method = static_cast<unsigned>(number(10, 2)),
                   .encrypted = (number(8, 2) & 1) != 0,
                   .checksum = static_cast<std::uint32_t>(number(16, 4)),
                   .packed = number(20, 4),
                   .unpacked = number(24, 4),
                   .header = number(42, 4)};
    read_zip64(std::string_view(directory).substr(at + fixed + name, extra), entry);
    entries.push_back(std::move(entry));
    at += fixed + name + extra + comment;
  }
  return entries;
}

/// The bytes of an entry, unpacked and compared with length and checksum.
class EntryStream final : public ByteStream {
 public:
  EntryStream(const InputFile& file, const ZipEntry& entry, std::string name)
      : file_(file), entry_(entry), name_(std::move(name)), input_(1 << 18) {
    const std::string local = zip_bytes(file, entry.header, 30);
    if (!local.starts_with("PK\3\4"))
      damaged(file, fmt::format("'{}' is not where it should be", entry.name));
    next_ = entry.header + 30 + zip_number(local, 26, 2) + zip_number(local, 28, 2);
    if (next_ > file.size() || entry.packed > file.size() - next_) damaged(file, "it ends too early");
    left_ = entry.packed;
    if (entry.encrypted || (entry.method != 0 && entry.method != 8))
      throw DataError(
          fmt::format("{}: {}, expected stored or deflated data", name_,
                      entry.encrypted ? "encrypted" : fmt::format("packed by method {}", entry.method)));
    if (inflateInit2(&state_, -15) != Z_OK) throw std::bad_alloc();
  }
  ~EntryStream() override { inflateEnd(&state_); }
  EntryStream(const EntryStream&) = delete;
  EntryStream& operator=(const EntryStream&) = delete;

  const std::string& name() const override { return name_; }
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = entry_.method == 0 ? fetch(out) : unpack(out);
    given_ += count;
    checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(out.data()), count);
    if (given_ > entry_.unpacked || (count == 0 && given_ != entry_.unpacked))
      damaged(file_, fmt::format("'{}' does not have the length stated", entry_.name));
    if (count == 0 && static_cast<std::uint32_t>(checksum_) != entry_.checksum)
      damaged(file_, fmt::format("the checksum of '{}' does not match", entry_.name));
    return count;
  }
  std::uint64_t most_left() const override { return entry_.unpacked - given_; }
  bool rewindable() const override { return false; }
  void rewind() override { throw UsageError(fmt::format("{}: cannot be read twice", name_)); }

 private:
  /// Packed bytes.
  std::size_t fetch(std::span<std::byte> out) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
    file_.read(next_, out.first(count));
    next_ += count;
    left_ -= count;
    return count;
  }

  std::size_t unpack(std::span<std::byte> out) {
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max()));
    const uInt room = state_.avail_out;
    while (!ended_ && state_.avail_out == room) {
      if (state_.avail_in == 0) {
        state_.next_in = reinterpret_cast<Bytef*>(input_.data());
        state_.avail_in = static_cast<uInt>(fetch(input_));
        if (state_.avail_in == 0) damaged(file_, fmt::format("'{}' ends too early", entry_.name));
      }
      const int code = inflate(&state_, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        damaged(file_, fmt::format("'{}' cannot be unpacked", entry_.name));
      ended_ = code == Z_STREAM_END;
    }
    return room - state_.avail_out;
  }

  const InputFile& file_;
  const ZipEntry& entry_;
  std::string name_;
  std::vector<std::byte> input_;
  std::uint64_t next_ = 0, left_ = 0, given_ = 0;
  z_stream state_{};
  uLong checksum_ = 0;
  bool ended_ = false;
};

constexpr std::string_view array_ending = ".npy";

const ZipEntry& find_array(const InputFile& file, const std::vector<ZipEntry>& entries,
                           const std::string& wanted) {
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries) {
    if (!entry.name.ends_with(array_ending)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - array_ending.size()));
    if (names.back() == wanted || entry.name == wanted) return entry;
  }
  if (names.empty())
    throw DataError(fmt::format("{}: a zip archive without arrays, expected .npz", file.name()));
  if (!wanted.empty())
    throw DataError(
        fmt::format("{}: no array '{}', expected {}", file.name(), wanted, fmt::join(names, " or ")));
  if (names.size() > 1)
    throw DataError(fmt::format("{}: {} arrays ({}), expected the name of one, as in {}:{}", file.name(),
                                names.size(), fmt::join(names, ", "), file.name(), names[0]));
  return *std::find_if(entries.begin(), entries.end(),
                       [](const ZipEntry& entry) { return entry.name.ends_with(array_ending); });
}

}  // namespace

template <class S>
SourcePtr<S> open_npz(const std::filesystem::path& path) {
  const std::string text = path.string();
  const std::size_t colon = text.rfind(".npz:");
  const std::string wanted = colon == std::string::npos ? "" : text.substr(colon + 5);
  const InputFile file(colon == std::string::npos ? path : std::filesystem::path(text.substr(0, colon + 4)));
  const auto entries = read_directory(file);
  const ZipEntry& entry = find_array(file, entries, wanted);
  EntryStream bytes(file, entry,
                    fmt::format("{}:{}", file.name(), entry.name.substr(0, entry.name.size() - 4)));
  const SpooledFile unpacked(bytes.name(), bytes);
  return open_npy<S>(unpacked.path());
}

template SourcePtr<float> open_npz<float>(const std::filesystem::path&);
template SourcePtr<double> open_npz<double>(const std::filesystem::path&);

}  // namespace landfall
