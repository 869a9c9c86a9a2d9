// Numbers in text: the short way for plain decimals must give what fast_float gives, to the last bit.
#include <landfall/data/formats/text.ipp>
#include <landfall/linalg/random.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace landfall::test {
namespace {

template <class S>
class TextNumber : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(TextNumber, Scalars);

template <class S>
void expect_same(const std::string& text) {
  using Bits = std::conditional_t<std::is_same_v<S, float>, std::uint32_t, std::uint64_t>;
  const std::string copy = text;  // no byte beyond the end may matter
  S expected = 17, found = 17;
  const auto reference = fast_float::from_chars(text.data(), text.data() + text.size(), expected);
  const auto result = text::read_number(copy.data(), copy.data() + copy.size(), found);
  EXPECT_EQ(result.ec, reference.ec) << text;
  EXPECT_EQ(result.ptr - copy.data(), reference.ptr - text.data()) << text;
  EXPECT_EQ(std::bit_cast<Bits>(found), std::bit_cast<Bits>(expected)) << text;
}

/// The number at the end of the text, and with more text after it.
template <class S>
void expect_same_anywhere(const std::string& number) {
  expect_same<S>(number);
  for (const std::string after : {",", ";1", " 2:3", ".", ".5", "x", "e", "e5", "E-3", "\n", "0", "-1", "/:"})
    for (const std::size_t length : {std::size_t{0}, std::size_t{40}})
      expect_same<S>(number + after + std::string(length, '7'));
}

TYPED_TEST(TextNumber, Written) {
  for (const char* number : {"0",
                             "-0",
                             "0.0",
                             "-0.0",
                             "1",
                             "-1",
                             "12.5",
                             ".5",
                             "-.5",
                             "5.",
                             "-",
                             "",
                             "+1",
                             "1e5",
                             "1.5e-7",
                             "inf",
                             "-nan",
                             "1234567",
                             "12345678",
                             "123456789",
                             "0.12345678",
                             "0.123456789012345",
                             "0.1234567890123456",
                             "1234567.89012345",
                             "9007199.254740992",
                             "9007199.254740993",
                             "9007199.254740991",
                             "00000001.5",
                             "0000001.5",
                             "99.9999999999999999",
                             "0.000000000000001",
                             "1..2",
                             "1.2.3",
                             "--1",
                             "1-1",
                             "0x10"})
    expect_same_anywhere<TypeParam>(number);
}

TYPED_TEST(TextNumber, TiesOfSinglePrecision) {
  // Halfway between two numbers of single precision, 1 + (2k + 1) 2^-24, cut after some digits: a double that
  // is the tie itself comes from decimals that lie on either side of it.
  for (int k = 0; k < 200; ++k) {
    const std::string exact = fmt::format("{:.24f}", 1 + (2 * k + 1) * 0x1p-24);
    for (std::size_t length = 8; length <= exact.size(); ++length)
      expect_same<TypeParam>(exact.substr(0, length));
  }
  // The decimal of 15 places next to a tie: a sum that is off by a unit in the last place of a double comes to
  // lie on the other side of it.
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto words = random_words({3, 0}, i);
    const double one = std::ldexp(1.0, static_cast<int>(words[0] % 8) - 3);
    const double tie = one * (1 + (2 * static_cast<double>(words[1] >> 9) + 1) * 0x1p-24);
    expect_same<TypeParam>(fmt::format("{:.15f}", i % 2 == 0 ? tie : -tie));
  }
  // Rounded to double precision, these are ties.
  for (const char* number :
       {"1.0000000596046448", "1.00000005960464478", "2097153.062500000", "524288.03125000", "65537.00390625",
        "1.000000178813934", "4194305.25", "4194305.2500000001"})
    expect_same_anywhere<TypeParam>(number);
}

TYPED_TEST(TextNumber, AnyDigits) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto words = random_words({1, 0}, i);
    std::string number = words[0] % 2 == 0 ? "-" : "";
    const std::size_t before = words[0] / 2 % 10, after = words[0] / 32 % 20;
    std::uint64_t position = 100 * i;
    const auto add_digit = [&] {
      number += static_cast<char>('0' + random_words({1, 1}, position++)[0] % 10);
    };
    for (std::size_t k = 0; k < before; ++k) add_digit();
    if (words[1] % 4 != 0) number += '.';
    for (std::size_t k = 0; k < after; ++k) add_digit();
    expect_same<TypeParam>(number);
    expect_same<TypeParam>(number + ",0.25,1234567890123456789");
  }
}

TYPED_TEST(TextNumber, AnyBytes) {
  constexpr std::string_view bytes = "0123456789.-+eE, :/;\t\n\x80\xff\xb9\xba";
  for (std::uint64_t i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t k = 0; k < 1 + i % 40; ++k) text += bytes[random_words({2, i}, k)[0] % bytes.size()];
    expect_same<TypeParam>(text);
    expect_same<TypeParam>("1" + text);
    expect_same<TypeParam>("0." + text);
  }
}

}  // namespace
}  // namespace landfall::test
