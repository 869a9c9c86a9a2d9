// A source for the tests of what is done with sources: a matrix in memory that behaves like a file of some
// kind.
#pragma once

#include <landfall/data/rows/source.hpp>
#include <landfall/errors.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace landfall::test {

template <class S>
struct MemoryFile {
  RowMatrix<S> rows = {};
  std::string name = "left.csv";
  bool random_access = false;
  bool sparse = false;  // zeros are not stored
  bool once = false;    // like standard input
  Index fails_at = -1;  // reading this row throws
  std::vector<double> labels = {};
};

template <class S>
class MemorySource final : public Source<S> {
 public:
  explicit MemorySource(MemoryFile<S> file) : file_(std::move(file)) {}

  const std::string& name() const override { return file_.name; }
  std::string_view format() const override { return "memory"; }
  std::string_view element_type() const override { return "f8"; }
  std::optional<Index> rows() const override {
    return file_.random_access ? std::optional(file_.rows.rows()) : std::nullopt;
  }
  Index cols() const override { return file_.rows.cols(); }
  bool sparse() const override { return file_.sparse; }
  bool random_access() const override { return file_.random_access; }
  std::span<const double> labels() const override { return labels_; }

  Index read(Index count, Batch<S>& batch) override {
    start(batch);
    for (; batch.rows() < count && next_ < file_.rows.rows(); ++next_) add(next_, batch);
    return batch.rows();
  }
  void rewind() override {
    if (file_.once) throw UsageError(file_.name + " can be read only once");
    next_ = 0;
  }
  bool rewindable() const override { return !file_.once; }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override {
    if (!file_.random_access) return Source<S>::read_rows(rows, batch);
    start(batch);
    for (const Index row : rows) add(row, batch);
  }

 private:
  void start(Batch<S>& batch) {
    labels_.clear();
    file_.sparse ? batch.start_sparse(cols()) : batch.start_dense(cols());
  }
  void add(Index row, Batch<S>& batch) {
    if (row == file_.fails_at) throw DataError(file_.name + ": the disk is gone");
    if (!file_.labels.empty()) labels_.push_back(file_.labels[static_cast<std::size_t>(row)]);
    if (file_.sparse) {
      batch.add_sparse_row(row);
      for (Index j = 0; j < cols(); ++j)
        if (file_.rows(row, j) != S(0)) batch.add_entry(j, file_.rows(row, j));
    } else {
      const auto out = batch.add_row(row);
      for (Index j = 0; j < cols(); ++j) out[static_cast<std::size_t>(j)] = file_.rows(row, j);
    }
  }

  MemoryFile<S> file_;
  Index next_ = 0;
  std::vector<double> labels_;
};

/// Entry (i, j) is i + j / 1000, so that a row can be told by what is in it.
template <class S>
RowMatrix<S> numbered_rows(Index rows, Index cols) {
  return RowMatrix<S>::NullaryExpr(rows, cols, [](Index i, Index j) { return S(i) + S(j) / 1000; });
}

template <class Call>
std::string sentence(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace landfall::test
