// Checkpoints of a model: the solver's state with a fingerprint of its data.
//
//   const landfall::Checkpoints wanted{.resume = file};
//   const auto mark = landfall::data_mark<float>(stream, first);
//   landfall::ModelCheckpoint run(wanted, mark, "requested");    // DataError: the file is of other data
//   use(run.reason());                                        // of the saved run
//   use(run.checkpoints());                                   // for the solver
#pragma once

#include <landfall/landing/checkpoints.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/linalg/state.hpp>

#include <cstdint>
#include <string>

namespace landfall {

/// Of all training rows where the stream has statistics and was asked for a mark, else of the first rows. It is the same with
/// any number of ranks.
template <class S>
std::uint64_t data_mark(const DataStream<S>& stream, const InMemorySamples<S>& first);

class ModelCheckpoint {
 public:
  /// `outer` is what the caller of the model wants; `reason` is why this method runs; `more` puts away and
  /// takes back what the model itself has to keep.
  ModelCheckpoint(const Checkpoints& outer, std::uint64_t data, std::string reason,
                  std::function<void(State&)> more = {});
  ModelCheckpoint(const ModelCheckpoint&) = delete;
  ModelCheckpoint& operator=(const ModelCheckpoint&) = delete;

  const std::string& reason() const { return head_.reason; }
  /// For the solver; not beyond this object's life.
  const Checkpoints& checkpoints() const { return inner_; }

 private:
  struct Head {
    std::uint64_t data = 0;
    std::string reason;
  } head_;
  std::function<void(State&)> more_;
  Checkpoints inner_;
};

extern template std::uint64_t data_mark<float>(const DataStream<float>&, const InMemorySamples<float>&);
extern template std::uint64_t data_mark<double>(const DataStream<double>&, const InMemorySamples<double>&);

}  // namespace landfall
