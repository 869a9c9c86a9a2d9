#include <landfall/data/formats/csv_source.hpp>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  const auto read = [&](const CsvOptions& options) {
    fuzz::read_or_refuse([&] {
      CsvSource<float> source(path, options);
      fuzz::read_all(source);
    });
  };
  read({});
  read({.label = "1"});
  read({.decimal = ',', .missing = {"1", "x"}, .text = TextColumns::one_hot});
  read({.separator = ' ', .text = TextColumns::as_missing});
  read({.separator = '|', .header = CsvHeader::absent, .columns = {"2", "1"}});
  return 0;
}
