// Checkpoints as they are, and with a checksum that is right, so that what is behind it is reached; then the state in them.
#include <landfall/data/io/checksum.hpp>
#include <landfall/linalg/state.hpp>
#include <landfall/run/checkpoints.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  fuzz::read_or_refuse([&] { read_checkpoint(fuzz::input_file(data, size)); });
  std::string text(reinterpret_cast<const char*>(data), size);
  Checksum sum;
  sum.add(text);
  const std::uint64_t value = sum.value();
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
  const auto file = fuzz::input_file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  fuzz::read_or_refuse([&] {
    const StoredCheckpoint stored = read_checkpoint(file);
    StateReader in(stored.state);
    std::vector<Matrix<double>> x;
    std::string words;
    std::vector<std::uint64_t> numbers;
    in(x, words, numbers);
  });
  return 0;
}
