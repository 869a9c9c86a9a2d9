#include <landfall/errors.hpp>
#include <landfall/parallel/communicator.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace landfall {
namespace {

class SerialCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<float>) override {}
  void sum(std::span<double>) override {}
  void sum(std::span<std::ptrdiff_t>) override {}
  void largest(std::span<double>) override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
};

/// Another rank has ended, so this one can go no further.
struct RankMissing : std::exception {
  const char* what() const noexcept override { return "another rank has ended"; }
};

/// Where the ranks meet. A meeting is over once every rank has put down its bytes and picked up the result.
class Meeting {
 public:
  explicit Meeting(int ranks) : ranks_(static_cast<std::size_t>(ranks)), parts_(ranks_) {}

  using Combine = std::function<void(const std::vector<std::vector<std::byte>>& parts)>;

  /// Puts down the bytes of a rank, waits for those of all others, and hands all of them to `combine`.
  void meet(std::size_t rank, std::span<const std::byte> bytes, const Combine& combine) {
    std::unique_lock lock(mutex_);
    parts_[rank].assign(bytes.begin(), bytes.end());
    wait_for_all(lock);
    combine(parts_);  // only read until the last rank has combined
    wait_for_all(lock);
  }

  /// A rank has ended: the others can no longer meet.
  void leave() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  void wait_for_all(std::unique_lock<std::mutex>& lock) {
    const std::size_t round = round_;
    if (++arrived_ == ranks_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return over_ || round_ != round; });
    if (round_ == round) throw RankMissing();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ranks_, arrived_ = 0, round_ = 0;
  bool over_ = false;
  std::vector<std::vector<std::byte>> parts_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Meeting> meeting, int rank, int size)
      : meeting_(std::move(meeting)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<float> values) override { combine(values, std::plus<float>()); }
  void sum(std::span<double> values) override { combine(values, std::plus<double>()); }
  void sum(std::span<std::ptrdiff_t> counts) override {
    combine(counts, [](std::ptrdiff_t a, std::ptrdiff_t b) {  // modulo 2^64: fingerprints are summed too
      return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(a) + static_cast<std::size_t>(b));
    });
  }
  void largest(std::span<double> values) override {
    combine(values, [](double a, double b) { return std::max(a, b); });
  }

  void broadcast(std::span<std::byte> bytes) override {
    meet(bytes, [&](const auto& parts) {
      require_size(parts[0], bytes.size());
      std::ranges::copy(parts[0], bytes.begin());
    });
  }

  std::vector<std::string> gather(const std::string& text) override {
    std::vector<std::string> texts;
    meet(std::as_bytes(std::span(text)), [&](const auto& parts) {
      if (rank_ > 0) return;
      for (const auto& part : parts) {
        std::string& copy = texts.emplace_back(part.size(), '\0');
        if (!part.empty()) std::memcpy(copy.data(), part.data(), part.size());
      }
    });
    return texts;
  }

 private:
  void meet(std::span<const std::byte> bytes, const Meeting::Combine& combine) {
    meeting_->meet(static_cast<std::size_t>(rank_), bytes, combine);
  }

  void require_size(const std::vector<std::byte>& part, std::size_t bytes) const {
    if (part.size() != bytes)
      throw UsageError(fmt::format("rank {} reduces {} bytes and another rank {}; expected the same on all",
                                   rank_, bytes, part.size()));
  }

  /// In rank order on every rank, so all of them get the same bits.
  template <class T, class Operation>
  void combine(std::span<T> values, Operation operation) {
    meet(std::as_bytes(values), [&](const auto& parts) {
      for (std::size_t r = 0; r < parts.size(); ++r) {
        require_size(parts[r], values.size_bytes());
        for (std::size_t i = 0; i < values.size(); ++i) {
          T term;
          std::memcpy(&term, parts[r].data() + i * sizeof(T), sizeof(T));
          values[i] = r == 0 ? term : operation(values[i], term);
        }
      }
    });
  }

  std::shared_ptr<Meeting> meeting_;
  int rank_, size_;
};

}  // namespace

Communicator& serial_communicator() {
  static SerialCommunicator communicator;
  return communicator;
}

void run_ranks(int ranks, const std::function<void(const std::shared_ptr<Communicator>&)>& work) {
  if (ranks < 1) throw UsageError(fmt::format("{} ranks, expected at least 1", ranks));
  const SerialBlas serial;  // how BLAS divides a product among threads would depend on what the others do
  const auto meeting = std::make_shared<Meeting>(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  bool missing = false;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        try {
          work(std::make_shared<ThreadCommunicator>(meeting, rank, ranks));
        } catch (const RankMissing&) {
          const std::lock_guard lock(mutex);
          missing = true;
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        meeting->leave();
      });
  }
  if (first) std::rethrow_exception(first);
  if (missing)
    throw UsageError("a rank ended while others waited for it; expected the same calls on all ranks");
}

RankSlice slice(int rank, int ranks, std::ptrdiff_t count) {
  return {count * rank / ranks, count * (rank + 1) / ranks};
}

std::ptrdiff_t share(const Communicator& communicator, std::ptrdiff_t count) {
  return slice(communicator.rank(), communicator.size(), count).size();
}

std::vector<std::ptrdiff_t> counts_of_ranks(Communicator& communicator, std::ptrdiff_t own) {
  std::vector<std::ptrdiff_t> counts(static_cast<std::size_t>(communicator.size()), 0);
  counts[static_cast<std::size_t>(communicator.rank())] = own;
  communicator.sum(std::span(counts));
  return counts;
}

bool any_rank(Communicator& communicator, bool own) {
  double most = own ? 1 : 0;
  communicator.largest(std::span(&most, 1));
  return most > 0;
}

void broadcast_text(Communicator& communicator, std::string& text) {
  std::uint64_t size = text.size();
  communicator.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  communicator.broadcast(std::as_writable_bytes(std::span(text)));
}

}  // namespace landfall
