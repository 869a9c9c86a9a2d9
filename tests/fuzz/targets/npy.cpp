#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/npy_source.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  fuzz::read_or_refuse([&] { read_npy<double>(path); });
  fuzz::read_or_refuse([&] { fuzz::read_all(*open_npy<float>(path)); });
  return 0;
}
