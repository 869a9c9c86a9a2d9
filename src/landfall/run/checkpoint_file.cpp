#include <landfall/data/io/checksum.hpp>
#include <landfall/data/io/file.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/checkpoint_file.hpp>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::string_view kName = "landfall checkpoint ";
constexpr int kFormat = 1;
constexpr std::size_t kNumber = sizeof(std::uint64_t);

std::string_view bytes_of(const std::uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), kNumber};
}

std::uint64_t number_at(std::string_view text, std::size_t offset) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.data() + offset, kNumber);
  return number;
}

[[noreturn]] void damaged(const std::filesystem::path& path, std::string_view how) {
  throw DataError(fmt::format("{}: a damaged checkpoint: {}", path.string(), how));
}

std::string read_all(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// The length of the first line, whose format must be known.
std::size_t check_first_line(const std::filesystem::path& path, std::string_view text) {
  const std::size_t end = text.substr(0, 64).find('\n');
  if (!text.starts_with(kName) || end == std::string_view::npos)
    throw DataError(fmt::format("{}: not a checkpoint of landfall", path.string()));
  int format = 0;
  const auto [last, error] = std::from_chars(text.data() + kName.size(), text.data() + end, format);
  if (error != std::errc{} || last != text.data() + end || format < 1) damaged(path, "its first line");
  if (format > kFormat)
    throw DataError(
        fmt::format("{}: a checkpoint of format {}, expected at most {}: made by a newer landfall",
                    path.string(), format, kFormat));
  return end + 1;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint) {
  AtomicFile file(path);
  Checksum sum;
  const auto write = [&](std::string_view text) {
    sum.add(text);
    file.write(text);
  };
  const std::uint64_t options = checkpoint.options.size(), state = checkpoint.state.size();
  write(fmt::format("{}{}\n", kName, kFormat));
  write(bytes_of(options));
  write(bytes_of(state));
  write(checkpoint.options);
  write(checkpoint.state);
  file.write(bytes_of(sum.value()));
  file.commit();
}

StoredCheckpoint read_checkpoint(const std::filesystem::path& path) {
  const std::string text = read_all(path);
  const std::size_t sizes = check_first_line(path, text), content = sizes + 2 * kNumber;
  if (text.size() < content + kNumber) damaged(path, "it ends too early");
  const std::uint64_t options = number_at(text, sizes), state = number_at(text, sizes + kNumber);
  const std::uint64_t there = text.size() - content - kNumber;
  if (options > there || state != there - options)
    damaged(path, fmt::format("{} bytes, expected {} and {}", there, options, state));
  Checksum sum;
  sum.add(std::string_view(text).substr(0, text.size() - kNumber));
  if (sum.value() != number_at(text, text.size() - kNumber)) damaged(path, "its checksum does not fit");
  return {text.substr(content, options), text.substr(content + options, state)};
}

}  // namespace landfall
