#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/matrix_market_source.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  fuzz::read_or_refuse([&] { read_matrix_market<double>(path); });
  fuzz::read_or_refuse([&] { load_symmetric<float>(path); });
  fuzz::read_or_refuse([&] {
    MatrixMarketSource<float> source(path);
    fuzz::read_all(source);
  });
  return 0;
}
