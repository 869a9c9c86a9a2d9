// Words, numbers and writing of text, for the .cpp files of the text formats; not installed.
#pragma once

#include <landfall/data/io/file.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/// Whether the field is this word, which has no small letters, in any case.
inline bool same_word(std::string_view field, std::string_view word) {
  return std::equal(field.begin(), field.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; });
}

/// What stands for a missing label: nothing, NA or NaN.
inline bool missing(std::string_view field) {
  return field.empty() || same_word(field, "NA") || same_word(field, "NAN");
}

/// What stands for a missing number; labels may be "None" or "?".
inline bool missing_value(std::string_view field) {
  return missing(field) || field == "?" || field == "." || same_word(field, "N/A") ||
         same_word(field, "NULL") || same_word(field, "NONE");
}

inline bool parse(std::string_view word, Index& value) {
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

/// The digits at the beginning of eight characters: how many, and the number they make.
struct Digits {
  std::uint64_t count, value;
};
[[gnu::always_inline]] inline Digits leading_digits(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  // The highest bit of each byte that is not a digit is set; a carry or borrow reaches bytes after the first
  // such one only.
  const std::uint64_t others =
      ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
  const auto count = static_cast<std::uint64_t>(std::countr_zero(others)) / 8;
  word = (word - 0x3030303030303030) << (4 * (8 - count)) << (4 * (8 - count));  // zeros before the digits
  word = word * 10 + (word >> 8);                                                // pairs, then all
  return {count, (((word & 0x000000FF000000FF) * 0x000F424000000064) +
                  (((word >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >>
                     32};
}

/// The digits before the point. Branches are foreseen most times: what follows need not wait for the count.
[[gnu::always_inline]] inline Digits whole_digits(const char* at) {
  if (at[1] != '.') return leading_digits(at);
  const auto digit = static_cast<std::uint64_t>(*at - '0');
  if (digit > 9) [[unlikely]]
    return {0, 0};
  return {1, digit};
}

/// A plain decimal such as "-12.345678": digits w, k of them after the point, where w and 10^k are doubles,
/// so that w / 10^k is rounded correctly; rounding that to single precision is right but for a tie. Returns
/// the end of the number, or null for what is anything else. 28 characters may be read. How many digits there
/// are is random in most files, so that nothing branches on it.
template <class S>
[[gnu::always_inline]] inline const char* read_decimal(const char* at, S& value) {
  static constexpr std::array<double, 16> powers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::array<std::uint64_t, 9> whole_powers = {1,      10,      100,      1000,     10000,
                                                                100000, 1000000, 10000000, 100000000};
  const bool negative = *at == '-';
  at += negative;
  const Digits whole = whole_digits(at);
  if (whole.count == 0 || whole.count == 8) return nullptr;
  at += whole.count;
  std::uint64_t digits = whole.value, places = 0;
  if (*at == '.') {
    const Digits first = leading_digits(++at);
    Digits second = leading_digits(at + 8);
    const std::uint64_t both = -(first.count >> 3);  // all bits: the digits go on in the second eight
    second.count &= both;
    second.value &= both;
    places = first.count + second.count;
    if (places == 0 || places == 16 || whole.count + places > 18) return nullptr;
    digits = (digits * whole_powers[first.count] + first.value) * whole_powers[second.count] + second.value;
    at += places;
  }
  if ((*at | 0x20) == 'e' || digits > std::uint64_t{1} << 53) return nullptr;
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(digits) / powers[places]);
  if (std::is_same_v<S, float> && (bits & 0x1FFFFFFF) == 0x10000000) return nullptr;
  value = static_cast<S>(std::bit_cast<double>(bits | static_cast<std::uint64_t>(negative) << 63));
  return at;
}

#ifdef __SSE2__
/// The digits at the beginning of sixteen characters: how many, and 0.digits to within 3 roundings.
struct Fraction {
  int count;
  double value;
};
[[gnu::always_inline]] inline Fraction leading_fraction(const char* at) {
  static constexpr auto first_kept = [] {
    std::array<std::uint8_t, 32> bytes{};
    std::fill_n(bytes.begin(), 16, std::uint8_t{0xFF});
    return bytes;
  }();
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  __m128i digits = _mm_sub_epi8(load(at), _mm_set1_epi8('0'));
  const int are = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits));
  const int count = std::countr_one(static_cast<unsigned>(are));
  digits = _mm_and_si128(digits, load(first_kept.data() + 16 - count));
  // Pairs, fours, and then two numbers of eight digits.
  digits = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xFF)), _mm_set1_epi16(10)),
                         _mm_srli_epi16(digits, 8));
  digits = _mm_madd_epi16(digits, _mm_set1_epi32(1 << 16 | 100));
  digits = _mm_madd_epi16(_mm_packs_epi32(digits, digits), _mm_set1_epi32(1 << 16 | 10000));
  const __m128d parts = _mm_mul_pd(_mm_cvtepi32_pd(digits), _mm_set_pd(1e-16, 1e-8));
  return {count, _mm_cvtsd_f64(_mm_add_sd(parts, _mm_unpackhi_pd(parts, parts)))};
}

/// The same for single precision, without a division. Four roundings leave whole + fraction within four units
/// in the last place of a double, so that rounding it to single precision is right but that near to a tie.
[[gnu::always_inline]] inline const char* read_decimal(const char* at, float& value) {
  const bool negative = *at == '-';
  at += negative;
  const Digits whole = whole_digits(at);
  if (whole.count == 0 || whole.count == 8) return nullptr;
  at += whole.count;
  auto sum = static_cast<double>(static_cast<std::int64_t>(whole.value));
  if (*at == '.') {
    const Fraction fraction = leading_fraction(++at);
    if (fraction.count == 0 || fraction.count == 16) return nullptr;
    sum += fraction.value;
    at += fraction.count;
  }
  constexpr std::uint64_t tie = 0x10000000, near = 4;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((*at | 0x20) == 'e' || (bits & 0x1FFFFFFF) - (tie - near) <= 2 * near) return nullptr;
  value = static_cast<float>(std::bit_cast<double>(bits | static_cast<std::uint64_t>(negative) << 63));
  return at;
}
#endif

/// As fast_float::from_chars, but plain decimals take a shorter way to the same number.
template <class S>
fast_float::from_chars_result read_number(const char* at, const char* end, S& value) {
  if constexpr (std::endian::native == std::endian::little) {
    std::array<char, 28> tail;
    const auto left = static_cast<std::size_t>(end - at);
    const char* from = at;
    if (left < tail.size()) {
      tail.fill('\0');
      std::memcpy(tail.data(), at, left);
      from = tail.data();
    }
    if (const char* after = read_decimal(from, value)) return {at + (after - from), std::errc{}};
  }
  return fast_float::from_chars(at, end, value);
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
  /// "-" is standard output.
  explicit TextFile(const std::filesystem::path& path) {
    if (path != "-") file_.emplace(path);
  }

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (text_.size() >= 1 << 20) flush();
  }

  /// Replaces the beginning of what was printed.
  void overwrite_start(std::string_view text) {
    flush();
    if (file_) file_->overwrite(0, text);
  }

  void commit() {
    flush();
    if (file_) file_->commit();
  }

 private:
  void flush() {
    if (file_)
      file_->write(std::string_view(text_.data(), text_.size()));
    else
      std::fwrite(text_.data(), 1, text_.size(), stdout);
    text_.clear();
  }

  std::optional<AtomicFile> file_;
  fmt::memory_buffer text_;
};

}  // namespace landfall::text
