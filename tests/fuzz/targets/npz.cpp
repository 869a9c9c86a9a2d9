#include <landfall/data/formats/npz.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  fuzz::read_or_refuse([&] { fuzz::read_all(*open_npz<float>(path)); });
  return 0;
}
