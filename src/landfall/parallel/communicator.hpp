// Sums over ranks: several processes, or threads, that each hold a part of the rows. Every sum over rows in
// the library is taken, then reduced over the ranks, then divided. By default there is one rank and nothing
// happens.
//
//   landfall::Communicator& alone = landfall::serial_communicator();
//   std::vector<double> sums(10);
//   alone.sum(std::span(sums));        // unchanged: there is one rank
//
//   // Ranks as threads of this process, for tests:
//   landfall::run_ranks(2, [](const std::shared_ptr<landfall::Communicator>& communicator) {
//     double rows = communicator->rank() == 0 ? 100 : 50;
//     communicator->sum(std::span(&rows, 1));    // 150 on both ranks
//   });
//
// linalg/reduce.hpp sums matrices and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace landfall {

/// How rows come to the ranks.
enum class RankRows {
  shared,  // every rank can read all of them and takes its part of each batch
  own,     // each rank has rows that the others do not have
};

/// Every rank calls the same functions in the same order, with the same sizes. Results have the same bits on
/// all ranks.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // 0, ..., size() - 1
  virtual int size() const = 0;

  /// Sums over the ranks, in place.
  virtual void sum(std::span<float> values) = 0;
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<std::ptrdiff_t> counts) = 0;

  /// The largest over the ranks, in place. No NaN.
  virtual void largest(std::span<double> values) = 0;

  /// Copies what rank 0 has to all ranks.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// The texts of all ranks in rank order at rank 0; empty elsewhere.
  virtual std::vector<std::string> gather(const std::string& text) = 0;
};

/// One rank, whose sums are its own.
Communicator& serial_communicator();

/// Calls work on `ranks` threads, each with its own communicator. Sums are taken in rank order. If a rank
/// throws, the others throw at their next call of the communicator, and the first exception is rethrown
/// here.
void run_ranks(int ranks, const std::function<void(const std::shared_ptr<Communicator>&)>& work);

/// [first, last) of `count` things in rank order that fall to a rank: floor(count rank / ranks) and so on.
struct RankSlice {
  std::ptrdiff_t first = 0, last = 0;
  std::ptrdiff_t size() const { return last - first; }
};
RankSlice slice(int rank, int ranks, std::ptrdiff_t count);

/// The share of `count` that falls to this rank: the shares of all ranks add up to `count`.
std::ptrdiff_t share(const Communicator& communicator, std::ptrdiff_t count);

/// The numbers of all ranks, in rank order, on every rank.
std::vector<std::ptrdiff_t> counts_of_ranks(Communicator& communicator, std::ptrdiff_t own);
/// Whether it is so on any rank.
bool any_rank(Communicator& communicator, bool own);
/// The text of rank 0 on all ranks.
void broadcast_text(Communicator& communicator, std::string& text);

}  // namespace landfall
