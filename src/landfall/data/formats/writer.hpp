// Rows written batch by batch, whatever the format: the extension determines the format.
//
//   #include <landfall/data/rows/source.hpp>
//   auto out = landfall::open_writer<float>("copy.csv", source.cols());
//   landfall::Batch<float> rows;
//   while (source.read(128, rows) > 0) out->write(rows);
//   out->finish();                        // only now is there a copy.csv
#pragma once

#include <landfall/data/rows/batch.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace landfall {

/// Appends rows to a file in memory for one batch. The file appears on finish(); without it nothing is left.
template <class S>
class Writer {
 public:
  virtual ~Writer() = default;

  /// Dense and sparse batches may follow each other. UsageError when the number of columns is another.
  virtual void write(const Batch<S>& rows) = 0;
  /// Once, after the last batch.
  virtual void finish() = 0;
};

template <class S>
using WriterPtr = std::unique_ptr<Writer<S>>;

/// The format follows from the extension, in upper or lower case: .npy, .csv, .tsv, .svm, .svmlight, .libsvm,
/// .mtx, .mm, .h5 or .hdf5, the last two also with a dataset, "FILE.h5:/path".
/// Numbers are stored as S, in text with as many digits as reading back exactly needs. Of dense rows svmlight
/// and Matrix Market files keep the entries that are not zero; .npy, HDF5 and tables write sparse rows with
/// their zeros. Tables begin with the names of the columns where there are some. "-" is csv to standard output.
/// UsageError for another name.
template <class S>
WriterPtr<S> open_writer(const std::filesystem::path& path, Index cols,
                         const std::vector<std::string>& names = {});

/// The ends of names that open_writer knows, with their dots.
std::vector<std::string> writer_endings();

/// What write() throws for rows that do not fit.
void check_columns(const std::filesystem::path& path, Index found, Index expected);

#define LANDFALL_WRITER(EXTERN, S)                                                 \
  EXTERN template class Writer<S>;                                                 \
  EXTERN template WriterPtr<S> open_writer<S>(const std::filesystem::path&, Index, \
                                              const std::vector<std::string>&);
LANDFALL_WRITER(extern, float)
LANDFALL_WRITER(extern, double)

}  // namespace landfall
