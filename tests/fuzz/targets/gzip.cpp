#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/io/gzip.hpp>

#include <array>

#include "read_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  const auto path = fuzz::input_file(data, size);
  fuzz::read_or_refuse([&] {
    const InputFile file(path);
    GzipReader gzip(file);
    std::array<std::byte, 1000> buffer{};
    std::size_t length = 0, again = 0;
    while (const std::size_t count = gzip.read(buffer)) length += count;
    gzip.rewind();
    while (const std::size_t count = gzip.read(std::span(buffer).first(999))) again += count;
    fuzz::require(length == again && length <= 1032 * size);
  });
  fuzz::read_or_refuse([&] {
    LineReader lines(path);
    while (lines.next()) fuzz::require(lines.bytes_left() <= 1032 * size);
  });
  return 0;
}
