// A communicator that measures how long the calls of another take: messages, and waiting for slower ranks.
//
//   std::shared_ptr<landfall::Communicator> ranks;
//   const auto timed = std::make_shared<landfall::TimedCommunicator>(ranks);
//   double sum = 1;
//   timed->sum(std::span(&sum, 1));
//   use(timed->seconds());
#pragma once

#include <landfall/parallel/communicator.hpp>

#include <chrono>

namespace landfall {

class TimedCommunicator final : public Communicator {
 public:
  explicit TimedCommunicator(std::shared_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  void sum(std::span<float> values) override {
    timed([&] { inner_->sum(values); });
  }
  void sum(std::span<double> values) override {
    timed([&] { inner_->sum(values); });
  }
  void sum(std::span<std::ptrdiff_t> counts) override {
    timed([&] { inner_->sum(counts); });
  }
  void largest(std::span<double> values) override {
    timed([&] { inner_->largest(values); });
  }
  void broadcast(std::span<std::byte> bytes) override {
    timed([&] { inner_->broadcast(bytes); });
  }
  std::vector<std::string> gather(const std::string& text) override {
    std::vector<std::string> texts;
    timed([&] { texts = inner_->gather(text); });
    return texts;
  }

  double seconds() const { return seconds_; }

 private:
  template <class Call>
  void timed(const Call& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  std::shared_ptr<Communicator> inner_;
  double seconds_ = 0;
};

}  // namespace landfall
