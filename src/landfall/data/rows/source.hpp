// Sources of rows (a file, several files, memory), read in batches.
//
//   #include <landfall/data/formats/open_source.hpp>
//   auto source = landfall::open_source<float>("left.npy");
//   landfall::Batch<float> batch;
//   while (source->read(128, batch) > 0) use(batch);        // in order
//   if (source->random_access()) source->read_rows(rows, batch);
#pragma once

#include <landfall/data/rows/batch.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace landfall {

/// How a file counts its columns.
struct IndexRange {
  Index first = 0, last = -1;
};

template <class S>
class Source {
 public:
  virtual ~Source() = default;

  virtual const std::string& name() const = 0;        // the file as given, for messages
  virtual std::string_view format() const = 0;        // "npy", "csv", ...
  virtual std::string_view element_type() const = 0;  // as stored: "f4", "u1", "text", ...
  virtual std::optional<Index> rows() const = 0;  // unknown for a text file that was not read to its end yet
  virtual Index cols() const = 0;
  virtual bool sparse() const { return false; }

  /// Where only the largest index in a file tells its width (svmlight), the file may be told those of other
  /// files of the same data: cols() becomes last - first + 1. Nothing where the width is the file's own.
  virtual std::optional<IndexRange> indices() const { return std::nullopt; }
  virtual void set_indices(IndexRange) {}

  /// Replaces the batch by the next `count` rows, or those that are left; returns how many, 0 at the end.
  virtual Index read(Index count, Batch<S>& batch) = 0;

  /// Back to the first row. Throws UsageError for a source that can be read only once (standard input).
  virtual void rewind() = 0;
  virtual bool rewindable() const { return true; }

  /// Any rows in any order, where the format allows it.
  virtual bool random_access() const { return false; }
  virtual void read_rows(std::span<const Index> rows, Batch<S>& batch);

  /// Names of the columns where the format has them; empty otherwise.
  virtual const std::vector<std::string>& column_names() const;
  /// What opening found that the user should know, a sentence each: columns left out, a header of numbers.
  virtual std::span<const std::string> warnings() const { return {}; }
  /// Labels of the rows of the last batch where the format has them (svmlight); empty otherwise.
  virtual std::span<const double> labels() const { return {}; }
};

template <class S>
using SourcePtr = std::unique_ptr<Source<S>>;

extern template class Source<float>;
extern template class Source<double>;

}  // namespace landfall
