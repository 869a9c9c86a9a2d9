// What the fuzz targets share: the input as a file, all rows of a source, and which exceptions are fine.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/errors.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace landfall::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// A file in memory with these bytes, until the next call.
inline std::filesystem::path input_file(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = memfd_create("input", 0);
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(descriptor);
  require(descriptor >= 0 && ftruncate(descriptor, 0) == 0 &&
          pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size));
  return path;
}

/// Any input is read or refused by one of these; whatever else is thrown ends the program.
template <class Call>
void read_or_refuse(Call call) {
  try {
    call();
  } catch (const DataError&) {
  } catch (const UsageError&) {
  }
}

template <class S>
Index count_rows(Source<S>& source, Index count) {
  Batch<S> batch;
  Index rows = 0;
  while (const Index found = source.read(count, batch)) {
    require(found == batch.rows() && batch.cols() == source.cols() && batch.sparse() == source.sparse());
    require(source.labels().empty() || static_cast<Index>(source.labels().size()) == found);
    for (const Index number : batch.numbers()) require(number == rows++);
    if (!batch.sparse()) continue;
    for (std::size_t i = 0; i < batch.numbers().size(); ++i)
      for (auto k = static_cast<std::size_t>(batch.starts()[i]);
           k < static_cast<std::size_t>(batch.starts()[i + 1]); ++k)
        require(batch.columns()[k] < batch.cols() &&
                (batch.columns()[k] >
                 (k == static_cast<std::size_t>(batch.starts()[i]) ? Index{-1} : batch.columns()[k - 1])));
  }
  return rows;
}

/// Twice, in batches of different sizes, and the last and first row by number where that can be.
template <class S>
void read_all(Source<S>& source) {
  const Index rows = count_rows(source, 1000);
  require(source.rows() == rows);
  source.rewind();
  require(count_rows(source, rows < 100 ? 3 : 4096) == rows);
  if (!source.random_access() || rows == 0) return;
  Batch<S> batch;
  source.read_rows(std::vector<Index>{rows - 1, 0}, batch);
  require(batch.rows() == 2);
}

}  // namespace landfall::fuzz
