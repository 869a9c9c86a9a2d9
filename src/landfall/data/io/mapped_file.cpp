#include <landfall/data/io/mapped_file.hpp>
#include <landfall/errors.hpp>

#include <cerrno>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>

namespace landfall {
namespace {

constexpr std::uint64_t block_bytes = 1 << 16;  // the kernel maps about so much around each page touched
constexpr std::uint64_t budget = 64 << 20;      // what may stay in memory of a file that does not stay whole:
constexpr std::uint64_t whole = 256 << 20;      // pages that return one by one cost as much as what they hold
constexpr std::uint64_t no_block = std::numeric_limits<std::uint64_t>::max();

}  // namespace

MappedFile::MappedFile(const InputFile& file) : size_(file.size()), last_block_(no_block) {
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED)
    throw DataError(fmt::format("{}: cannot be mapped into memory: {}", file.name(),
                                std::generic_category().message(errno)));
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::span<const std::byte> MappedFile::piece(std::uint64_t offset, std::uint64_t length) const {
  if (offset > size_ || length > size_ - offset)
    throw UsageError(fmt::format("bytes {} to {} of a mapped file of {}", offset, offset + length, size_));
  if (length == 0) return {};
  const std::uint64_t first = offset / block_bytes, last = (offset + length - 1) / block_bytes;
  touched_ += (last - first + (first == last_block_ ? 0 : 1)) * block_bytes;
  last_block_ = last;
  if (touched_ > budget && size_ > whole) {
    // The pages are the file's and unchanged: they stay in the kernel's cache, and leave this process alone.
    ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
    touched_ = (last - first + 1) * block_bytes;
  }
  return {data_ + offset, length};
}

void MappedFile::expect(std::uint64_t offset, std::uint64_t length) const {
  constexpr std::uint64_t line = 64;
  if (offset > size_ || length > size_ - offset) return;
  if (length > 1024) length = 4 * line;  // from there on the processor sees where it goes
  for (std::uint64_t i = 0; i < length; i += line) __builtin_prefetch(data_ + offset + i);
}

}  // namespace landfall
