#include <landfall/data/io/checksum.hpp>
#include <landfall/data/io/file.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/checkpoints.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
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
    throw DataError(fmt::format("{}: not a landfall checkpoint", path.string()));
  int format = 0;
  const auto [last, error] = std::from_chars(text.data() + kName.size(), text.data() + end, format);
  if (error != std::errc{} || last != text.data() + end || format < 1) damaged(path, "its first line");
  if (format > kFormat)
    throw DataError(fmt::format(
        "{}: a checkpoint of format {}, expected at most {}: written by a newer version of landfall",
        path.string(), format, kFormat));
  return end + 1;
}

using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// Names and values, each ended by a byte 0.
std::string text_of(const NamedValues& options) {
  std::string text;
  for (const auto& [name, value] : options) text += name + '\0' + value + '\0';
  return text;
}

NamedValues options_in(const std::filesystem::path& path, std::string_view text) {
  NamedValues options;
  const auto next = [&] {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) damaged(path, "its options");
    std::string word(text.substr(0, end));
    text.remove_prefix(end + 1);
    return word;
  };
  while (!text.empty()) {
    std::string name = next();
    options.emplace_back(std::move(name), next());
  }
  return options;
}

void require_same(const std::filesystem::path& path, const NamedValues& then, const NamedValues& now) {
  const auto value = [](const NamedValues& all, const std::string& name) {
    const auto at = std::ranges::find(all, name, &NamedValues::value_type::first);
    return at == all.end() ? "not given" : at->second;
  };
  for (const NamedValues* options : {&then, &now})
    for (const auto& [name, ignored] : *options)
      if (value(then, name) != value(now, name))
        throw UsageError(fmt::format("{}: belongs to a run with other options: {} was {}, now {}",
                                     path.string(), name, value(then, name), value(now, name)));
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
  if (sum.value() != number_at(text, text.size() - kNumber)) damaged(path, "checksum mismatch");
  return {text.substr(content, options), text.substr(content + options, state)};
}

Interrupted::Interrupted(const std::filesystem::path& path)
    : std::runtime_error(fmt::format("interrupted; the run can be resumed from {}", path.string())),
      checkpoint(path) {}

RunCheckpoints::RunCheckpoints(RunCheckpointOptions options)
    : options_(std::move(options)), path_(checkpoint_in(options_.folder)) {
  if (options_.folder.empty() || !options_.resume) return;
  if (ranks().rank() == 0 && std::filesystem::exists(path_)) {
    StoredCheckpoint stored = read_checkpoint(path_);
    require_same(path_, options_in(path_, stored.options), options_.options);
    resume_ = std::move(stored.state);
  }
  broadcast_text(ranks(), resume_);
  begun_ = !resume_.empty();
}

Checkpoints RunCheckpoints::hooks() {
  if (options_.folder.empty()) return {};
  saved_ = Clock::now();
  return {.due = [this] { return due(); },
          .save = [this](const std::string& state) { save(state); },
          .finish = [this](const std::string& state) { last_ = state; },
          .resume = resume_,
          .name = path_.string()};
}

bool RunCheckpoints::due() {
  const std::chrono::duration<double> since = Clock::now() - saved_;
  return stopped() || (ranks().rank() == 0 && since.count() >= options_.every);
}

bool RunCheckpoints::save_last() {
  if (!last_.empty()) write(last_);
  return begun_;
}

void RunCheckpoints::write(const std::string& state) {
  if (ranks().rank() != 0) return;
  if (!std::exchange(begun_, true)) begin_run_folder(options_.folder);
  write_checkpoint(path_, {text_of(options_.options), state});
}

void RunCheckpoints::save(const std::string& state) {
  write(state);
  saved_ = Clock::now();
  begun_ = true;
  if (any_rank(ranks(), stopped())) throw Interrupted(path_);
}

void RunCheckpoints::write_last(const std::filesystem::path& folder) const {
  if (!last_.empty()) write_checkpoint(checkpoint_in(folder), {text_of(options_.options), last_});
}

}  // namespace landfall
