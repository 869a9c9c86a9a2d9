#include <landfall/linalg/random.hpp>

#include <cmath>
#include <numbers>
#include <utility>

#include <Random123/philox.h>

namespace landfall {

std::array<std::uint32_t, 4> random_words(Stream stream, std::uint64_t position) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const r123::Philox4x32::ctr_type counter = {
      {low(position), high(position), low(stream.purpose), high(stream.purpose)}};
  const r123::Philox4x32::key_type key = {{low(stream.seed), high(stream.seed)}};
  const auto words = r123::Philox4x32{}(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

namespace {

/// 53 random bits in (0, 1), never 0.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
}

/// Box and Muller's.
std::array<double, 2> two_normals(Stream stream, std::uint64_t position) {
  const auto words = random_words(stream, position);
  const double radius = std::sqrt(-2 * std::log(unit(words[0], words[1])));
  const double angle = 2 * std::numbers::pi * unit(words[2], words[3]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

double uniform(Stream stream, std::uint64_t position) {
  const auto words = random_words(stream, position);
  return unit(words[0], words[1]);
}

template <class S>
Matrix<S> gaussian(Index rows, Index cols, Stream stream) {
  Matrix<S> out(rows, cols);
  const Index count = out.size();
  for (Index i = 0; i < count; i += 2) {
    const auto [first, second] = two_normals(stream, static_cast<std::uint64_t>(i / 2));
    out.data()[i] = static_cast<S>(first);
    if (i + 1 < count) out.data()[i + 1] = static_cast<S>(second);
  }
  return out;
}

template Matrix<float> gaussian<float>(Index, Index, Stream);
template Matrix<double> gaussian<double>(Index, Index, Stream);

double Draws::uniform() {
  return landfall::uniform(stream_, position_++);
}

double Draws::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto [first, second] = two_normals(stream_, position_++);
  spare_ = second;
  has_spare_ = true;
  return first;
}

namespace {

constexpr std::uint64_t rounds = 6;
constexpr int most_kept_bits = 16;  // 768 KiB, for more than 2^30 rows

}  // namespace

void Permutation::restart(Index n, Stream stream) {
  n_ = n;
  stream_ = stream;
  half_bits_ = 1;
  while ((Index{1} << (2 * half_bits_)) < n) ++half_bits_;
  mixed_.clear();
  if (half_bits_ > most_kept_bits) return;
  const std::uint64_t halves = std::uint64_t{1} << half_bits_;
  mixed_.reserve(rounds * halves);
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::uint64_t half = 0; half < halves; ++half)
      mixed_.push_back(static_cast<std::uint16_t>(mix(half, round)));
}

/// What a round of the network adds to the other half.
std::uint64_t Permutation::mix(std::uint64_t half, std::uint64_t round) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  return random_words(stream_, half << 3 | round)[0] & mask;
}

Index Permutation::operator()(Index i) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  auto value = static_cast<std::uint64_t>(i);
  do {  // at most four times the range, so about four rounds of walking at worst
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      left ^= mixed_.empty() ? mix(right, round) : mixed_[(round << half_bits_) + right];
      std::swap(left, right);
    }
    value = left << half_bits_ | right;
  } while (value >= static_cast<std::uint64_t>(n_));
  return static_cast<Index>(value);
}

}  // namespace landfall
