// A file as memory: only the pages that are touched are read. Those of a file of up to 256 MiB stay; of a
// larger one those touched before are given back, so that a file of any size needs little memory.
//
//   const landfall::MappedFile mapped(landfall::InputFile("left.npy"));
//   use(mapped.piece(0, 128));
#pragma once

#include <landfall/data/io/file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace landfall {

class MappedFile {
 public:
  explicit MappedFile(const InputFile& file);  // not needed afterwards
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Bytes of the file. May take other pieces' pages out of memory; those come back when touched.
  std::span<const std::byte> piece(std::uint64_t offset, std::uint64_t length) const;
  /// DataError: the file has changed since it was opened. To be called when a piece was read, before it is used.
  void require_unchanged() const { stamp_.require_unchanged(); }
  /// This piece will be asked for soon: has its beginning brought from memory to the processor meanwhile.
  void expect(std::uint64_t offset, std::uint64_t length) const;

 private:
  FileStamp stamp_;
  const std::byte* data_ = nullptr;
  std::uint64_t size_;
  mutable std::uint64_t last_block_;   // the last one of the last piece
  mutable std::uint64_t touched_ = 0;  // bytes that may be in memory
};

/// Reading a page of a mapped file that another process has cut is SIGBUS. After this call it reads as zeros instead, and
/// require_unchanged() tells. Other reasons of SIGBUS go to the handler that was there before. For programs: it is a
/// setting of the whole process.
void catch_cut_files();

}  // namespace landfall
