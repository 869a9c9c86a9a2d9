#include <landfall/data/io/mapped_file.hpp>
#include <landfall/errors.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace landfall {
namespace {

constexpr std::uint64_t block_bytes = 1 << 16;  // the kernel maps about so much around each page touched
constexpr std::uint64_t budget = 64 << 20;      // what may stay in memory of a file that does not stay whole:
constexpr std::uint64_t whole = 256 << 20;      // pages that return one by one cost as much as what they hold
constexpr std::uint64_t no_block = std::numeric_limits<std::uint64_t>::max();

struct Range {
  std::atomic<const std::byte*> begin = nullptr;
  std::atomic<std::uint64_t> size = 0;
  std::atomic<Range*> next = nullptr;
};

/// Where mapped files lie, for a signal handler: places are never moved, and an entry without a size is free.
class MappedRanges {
 public:
  static void add(const std::byte* begin, std::uint64_t size) {
    for (Range* range = &first_;; range = next_of(*range)) {
      const std::byte* none = nullptr;
      if (!range->begin.compare_exchange_strong(none, begin)) continue;
      range->size = size;
      return;
    }
  }
  static void remove(const std::byte* begin) {
    for (Range* range = &first_; range != nullptr; range = range->next)
      if (range->begin == begin) {
        range->size = 0;
        range->begin = nullptr;
        return;
      }
  }
  /// The end of the range that holds this address, or null.
  static const std::byte* end_of(const std::byte* address) {
    for (const Range* range = &first_; range != nullptr; range = range->next)
      if (const std::byte* begin = range->begin; begin != nullptr && address >= begin) {
        const std::uint64_t size = range->size;
        if (static_cast<std::uint64_t>(address - begin) < size) return begin + size;
      }
    return nullptr;
  }

 private:
  /// The next place; there is always one. Places stay until the process ends.
  static Range* next_of(Range& range) {
    if (Range* next = range.next) return next;
    auto* fresh = new Range;
    Range* expected = nullptr;
    if (range.next.compare_exchange_strong(expected, fresh)) return fresh;
    delete fresh;
    return expected;
  }

  static inline Range first_;
};

struct sigaction before_bus {};

/// Zeros in place of the pages that the file does not have any more, so that the reader can go on to its check.
void on_bus(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  if (const std::byte* end = MappedRanges::end_of(address)) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / page * page);
    const auto size = static_cast<std::size_t>(end - static_cast<std::byte*>(begin));
    if (::mmap(begin, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
      errno = error;
      return;
    }
  }
  if ((before_bus.sa_flags & SA_SIGINFO) != 0) return before_bus.sa_sigaction(signal, info, context);
  if (before_bus.sa_handler != SIG_DFL && before_bus.sa_handler != SIG_IGN)
    return before_bus.sa_handler(signal);
  std::signal(signal, SIG_DFL);  // on return the same instruction raises it again
}

}  // namespace

void catch_cut_files() {
  struct sigaction now {};
  now.sa_sigaction = on_bus;
  now.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGBUS, &now, &before_bus);
}

MappedFile::MappedFile(const InputFile& file)
    : stamp_(file.stamp()), size_(file.size()), last_block_(no_block) {
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED)
    throw DataError(fmt::format("{}: cannot be mapped into memory: {}", file.name(),
                                std::generic_category().message(errno)));
  data_ = static_cast<const std::byte*>(address);
  MappedRanges::add(data_, size_);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  MappedRanges::remove(data_);
  ::munmap(const_cast<std::byte*>(data_), size_);
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
