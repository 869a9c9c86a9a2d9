// Random numbers without state: each is a function of (seed, stream, position), so neither the order of the
// calls nor the number of threads changes a draw, and a run resumes exactly. Philox4x32-10 from Random123.
//
//   auto x = landfall::gaussian<double>(n, p, landfall::Stream{seed, 1});
//   landfall::Permutation order(count, landfall::Stream{seed, pass});
//   for (landfall::Index i = 0; i < count; ++i) use(order(i));    // each of 0 .. count-1 once
//   landfall::Draws draws(landfall::Stream{seed, 2}, 17);         // of row 17 of a data set
//   use(draws.uniform(), draws.normal());
#pragma once

#include <landfall/linalg/types.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace landfall {

/// Which sequence of random numbers: the user's seed, and what they are for.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t purpose = 0;
};

/// Four random 32-bit words at a position of a stream.
std::array<std::uint32_t, 4> random_words(Stream stream, std::uint64_t position);

/// Uniform in (0, 1).
double uniform(Stream stream, std::uint64_t position);

/// Independent standard normals; entry (i, j) depends on i + rows j only. The same in
/// both precisions up to rounding.
template <class S>
Matrix<S> gaussian(Index rows, Index cols, Stream stream);

/// Random numbers one after the other, at most 2^32 of them: those of one row of synthetic data, which depend
/// on the stream and on the row only.
class Draws {
 public:
  Draws(Stream stream, Index row) : stream_(stream), position_(static_cast<std::uint64_t>(row) << 32) {}
  double uniform();  // in (0, 1)
  double normal();   // standard

 private:
  Stream stream_;
  std::uint64_t position_;
  double spare_ = 0;  // Box-Muller gives two at a time
  bool has_spare_ = false;
};

/// A random permutation of 0 .. n-1 that is computed, not stored (a Feistel network walked into range). Of
/// the order of sqrt(n) random words are drawn when it is made, and kept.
class Permutation {
 public:
  Permutation(Index n, Stream stream) { restart(n, stream); }
  /// Becomes another one; does not allocate where n is no larger than before.
  void restart(Index n, Stream stream);
  Index operator()(Index i) const;

 private:
  std::uint64_t mix(std::uint64_t half, std::uint64_t round) const;

  Index n_ = 0;
  int half_bits_ = 1;
  Stream stream_;
  std::vector<std::uint16_t> mixed_;  // every value of mix(); empty where there would be too many
};

extern template Matrix<float> gaussian<float>(Index, Index, Stream);
extern template Matrix<double> gaussian<double>(Index, Index, Stream);

}  // namespace landfall
