// Sparse rows with labels, one per line as svmlight and libsvm write them: "label qid:3 1:0.5 7:2 # comment".
//
//   landfall::SvmlightSource<float> source("news.svm");      // columns are counted by a first reading
//   landfall::Batch<float> batch;
//   while (source.read(128, batch) > 0) use(batch.starts(), batch.columns(), source.labels(), source.qids());
//
//   landfall::SvmlightWriter<float> out("copy.svm");
//   out.write(batch, source.labels());
//   out.commit();
#pragma once

#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/rows/source.hpp>

#include <Eigen/SparseCore>

namespace landfall {

struct SvmlightOptions {
  /// How many columns; found by a first reading when not given, which standard input does not allow.
  std::optional<Index> cols = std::nullopt;
  /// The index of the first column, 0 or 1. Not given: 0 if a first reading finds the index 0, otherwise 1.
  std::optional<Index> first_index = std::nullopt;
};

/// Indices ascend within a row. Empty lines and those with a comment only are skipped; a label without
/// entries is a row of zeros. DataError names the line, and the entry from 1.
template <class S>
class SvmlightSource : public Source<S> {
 public:
  /// "-" is standard input.
  explicit SvmlightSource(const std::filesystem::path& path, SvmlightOptions options = {});
  explicit SvmlightSource(LineReader lines, SvmlightOptions options = {});

  const std::string& name() const override { return lines_.name(); }
  std::string_view format() const override { return "svmlight"; }
  std::string_view element_type() const override { return "text"; }
  std::optional<Index> rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  bool sparse() const override { return true; }
  /// Nothing when columns or first index were given.
  std::optional<IndexRange> indices() const override;
  void set_indices(IndexRange indices) override;
  Index read(Index count, Batch<S>& batch) override;
  void rewind() override;
  bool rewindable() const override { return lines_.rewindable(); }
  std::span<const double> labels() const override { return labels_; }
  /// Query numbers of the rows of the last batch, -1 for a row without; empty when no row has one.
  std::span<const Index> qids() const { return qids_; }

 private:
  bool next_row();
  void scan(const SvmlightOptions& options);
  void parse_row(Batch<S>& batch);
  [[noreturn]] void fail(Index entry, const std::string& what) const;

  LineReader lines_;
  Index cols_ = 0;
  Index first_ = 1;
  bool found_ = false;  // both by the first reading
  Index row_ = 0;       // the next one
  std::optional<Index> rows_;
  std::string_view line_;  // the current row without its comment
  std::vector<double> labels_;
  std::vector<Index> qids_;
};

/// Appends batches to a file that appears on commit(). Indices count from 1; values have as many digits as
/// reading back exactly needs. The format does not keep the number of columns: a reader finds the last one
/// that has an entry. When `cols` is given, the first row has one there, if need be a zero.
template <class S>
class SvmlightWriter {
 public:
  explicit SvmlightWriter(const std::filesystem::path& path, std::optional<Index> cols = std::nullopt);
  ~SvmlightWriter();
  SvmlightWriter(const SvmlightWriter&) = delete;
  SvmlightWriter& operator=(const SvmlightWriter&) = delete;

  /// Labels are 0 when not given. Of dense rows the entries that are not zero are written.
  void write(const Batch<S>& batch, std::span<const double> labels = {}, std::span<const Index> qids = {});
  void commit();

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::optional<Index> cols_;  // until the first row is written
};

/// Rows are samples.
template <class S>
void write_svmlight(const std::filesystem::path& path, const Eigen::SparseMatrix<S, Eigen::RowMajor>& matrix,
                    std::span<const double> labels = {}, std::span<const Index> qids = {});

#define LANDFALL_SVMLIGHT(EXTERN, S)                                                     \
  EXTERN template class SvmlightSource<S>;                                               \
  EXTERN template class SvmlightWriter<S>;                                               \
  EXTERN template void write_svmlight<S>(const std::filesystem::path&,                   \
                                         const Eigen::SparseMatrix<S, Eigen::RowMajor>&, \
                                         std::span<const double>, std::span<const Index>);
LANDFALL_SVMLIGHT(extern, float)
LANDFALL_SVMLIGHT(extern, double)

}  // namespace landfall
