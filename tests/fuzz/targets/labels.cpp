#include <landfall/data/formats/labels.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  for (const CsvHeader header : {CsvHeader::detect, CsvHeader::present, CsvHeader::absent})
    fuzz::read_or_refuse([&] {
      const Labels labels = read_labels(path, {.header = header});
      fuzz::require(labels.classes() >= 1 && labels.classes() <= labels.rows());
      for (Index row = 0; row < labels.rows(); ++row) fuzz::require(labels.of(row) < labels.classes());
    });
  return 0;
}
