// HDF5 files, named without a dataset: through our checks of their headers and chunks.
#include <landfall/data/formats/hdf5_source.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto file = fuzz::input_file(data, size);
  fuzz::read_or_refuse([&] {
    Hdf5Source<double> source(file);
    if (source.rows().value() <= 10000 && source.cols() <= 10000) fuzz::count_rows(source, 1000);
  });
  return 0;
}
