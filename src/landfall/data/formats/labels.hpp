// The class of every row: from a file of its own, from a column of the data, or from svmlight's labels.
//
//   landfall::Labels labels = landfall::read_labels("species.csv");     // names or numbers, one per line
//   auto iris = landfall::open_labelled<float>("iris.csv", "species");  // a column, taken out of the rows
//   labels = landfall::labels_of<float>(source);                        // svmlight's own
//   iris.labels.expect_rows("iris.csv", 150);
//   for (const landfall::Index row : batch.numbers()) use(labels.names()[labels.of(row)]);
#pragma once

#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/rows/source.hpp>
#include <landfall/parallel/communicator.hpp>

#include <cstdint>

namespace landfall {

/// Four bytes per row. Classes are numbered from 0 in the order of their names: numbers by value, else text
/// by its bytes. They are numbers when every label is one: then 1 and 1.0 are the same class.
class Labels {
 public:
  /// One label per row of the data; they were found in what `name` says.
  Labels(std::string name, std::vector<std::string> names, std::vector<std::uint32_t> rows,
         Index first_row = 0)
      : name_(std::move(name)), names_(std::move(names)), rows_(std::move(rows)), first_row_(first_row) {}

  Index rows() const { return static_cast<Index>(rows_.size()); }
  Index classes() const { return static_cast<Index>(names_.size()); }
  std::span<const std::string> names() const { return names_; }
  /// The class of a row, by its number in the source (Batch::numbers()); DataError beyond the last label.
  Index of(Index row) const;

  /// DataError with both numbers unless there are as many labels as rows.
  void expect_rows(const std::string& data, Index rows) const;

  /// For ranks that each have rows of their own, numbered from first_row on: the classes are those of all ranks.
  Labels of_ranks(Index first_row, Communicator& communicator) const;

 private:
  std::string name_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> rows_;
  Index first_row_ = 0;
};

struct LabelOptions {
  /// Of a text file. Detected: the first line is a header when it is not a number and the others are, or when
  /// the labels are text and it occurs once, while no other label does.
  CsvHeader header = CsvHeader::detect;
};

/// A text file with one label per line, quoted or not, plain or gzip-compressed; an .npy, IDX or Matrix
/// Market file of one column; or the labels of an svmlight file. An empty line, NA and NaN are missing
/// labels: DataError.
Labels read_labels(const std::filesystem::path& path, const LabelOptions& options = {});

/// The labels that a source hands out with its rows. Reads it from its first row to its last, and rewinds it.
template <class S>
Labels labels_of(Source<S>& source);

template <class S>
struct LabelledSource {
  SourcePtr<S> source;  // whose own labels() number classes of text anew in each file
  Labels labels;
};

/// A file, or a folder of files, whose rows have their label in this column, given by name where there are
/// names, or by number from 1. The source hands out the other columns. Text is allowed in csv files.
template <class S>
LabelledSource<S> open_labelled(const std::filesystem::path& path, const std::string& column,
                                TableOptions options = {});

#define LANDFALL_LABELS(EXTERN, S)                                                                     \
  EXTERN template Labels labels_of<S>(Source<S>&);                                                     \
  EXTERN template LabelledSource<S> open_labelled<S>(const std::filesystem::path&, const std::string&, \
                                                     TableOptions);
LANDFALL_LABELS(extern, float)
LANDFALL_LABELS(extern, double)

}  // namespace landfall
