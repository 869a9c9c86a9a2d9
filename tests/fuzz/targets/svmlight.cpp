#include <landfall/data/formats/svmlight_source.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  const auto read = [&](const SvmlightOptions& options) {
    fuzz::read_or_refuse([&] {
      SvmlightSource<float> source(path, options);
      fuzz::read_all(source);
    });
  };
  read({});
  read({.cols = 10, .first_index = 0});
  return 0;
}
