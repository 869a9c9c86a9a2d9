// A dense array of numbers in a file or in bytes, as a source: .npy and IDX files are a header and such an
// array.
//
//   const landfall::InputFile file("left.npy");
//   const auto header = landfall::read_npy_header(file);
//   landfall::ArraySource<float> source(file, "npy", header);   // the file may be closed now
#pragma once

#include <landfall/data/formats/npy.hpp>
#include <landfall/data/io/mapped_file.hpp>
#include <landfall/data/rows/random_source.hpp>

#include <memory>
#include <vector>

namespace landfall {

/// Numbers keep their type where they are; each row is converted when it is asked for.
template <class S>
class ArraySource : public RandomSource<S> {
 public:
  /// The file is as long as the layout needs (read_npy_header checks it). Reading rows of one that has changed since is a
  /// DataError.
  ArraySource(const InputFile& file, std::string_view format, const NpyHeader& layout);
  /// Of bytes in memory, which begin with the first number.
  ArraySource(std::string name, std::vector<std::byte> bytes, std::string_view format,
              const NpyHeader& layout);

  std::string_view format() const override { return format_; }
  std::string_view element_type() const override { return npy_type_name(layout_.type); }

 private:
  void fetch(std::span<const Index> rows, Batch<S>& batch) override;
  void convert(Index first, std::span<S> out) const;
  void expect(Index first, std::size_t count) const;

  std::string format_;
  NpyHeader layout_;
  std::unique_ptr<MappedFile> mapped_;  // or
  std::vector<std::byte> bytes_;
  std::vector<S> column_;
};

/// out = the numbers at `from`, which need not be aligned.
template <class S>
void convert_numbers(const std::byte* from, NpyType type, std::endian order, std::span<S> out);

extern template void convert_numbers<float>(const std::byte*, NpyType, std::endian, std::span<float>);
extern template void convert_numbers<double>(const std::byte*, NpyType, std::endian, std::span<double>);
extern template class ArraySource<float>;
extern template class ArraySource<double>;

}  // namespace landfall
