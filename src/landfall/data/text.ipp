// Words, numbers and writing of text, for the .cpp files of the text formats; not installed.
#pragma once

#include <landfall/data/file.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace landfall::text {

constexpr std::string_view spaces = " \t\r\v\f";

inline bool blank(std::string_view text) {
  return text.find_first_not_of(spaces) == std::string_view::npos;
}

/// Takes the first word off the text; empty at the end.
inline std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  const std::size_t length = std::min(text.find_first_of(spaces), text.size());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// A piece of the file fit to be shown: short and printable.
inline std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result(text.substr(0, longest));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > longest ? result + "..." : result;
}

/// What stands for a missing value: nothing, NA or NaN.
inline bool missing(std::string_view field) {
  const auto is = [&](std::string_view name) {
    return std::equal(field.begin(), field.end(), name.begin(), name.end(),
                      [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; });
  };
  return field.empty() || is("NA") || is("NAN");
}

inline bool parse(std::string_view word, Index& value) {
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

/// A number beyond the range of the scalar becomes an infinity or zero.
template <class S>
bool parse(std::string_view word, S& value) requires std::is_floating_point_v<S> {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto result = fast_float::from_chars(word.data(), end, value);
  return result.ec != std::errc::invalid_argument && result.ptr == end;
}

/// Text that reaches the file a mebibyte at a time.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path) : file_(path) {}

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (text_.size() >= 1 << 20) flush();
  }

  /// Replaces the beginning of what was printed.
  void overwrite_start(std::string_view text) {
    flush();
    file_.overwrite(0, text);
  }

  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(std::string_view(text_.data(), text_.size()));
    text_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer text_;
};

}  // namespace landfall::text
