// Columns of a table by name, number, range or wildcard, and a source that hands out only these.
//
//   #include <landfall/data/formats/open_source.hpp>
//   auto source = landfall::open_source<float>("diabetes.npy");
//   landfall::ChosenColumns<float> chosen(std::move(source), {.columns = {"5..10", "3"}, .exclude = {"7"}});
//   use(chosen.cols());                                    // 6: columns 5, 6, 8, 9, 10 and 3, in this order
#pragma once

#include <landfall/data/rows/source.hpp>

#include <optional>
#include <string>
#include <vector>

namespace landfall {

/// Each item is a name, a number from 1, a range of either ("a..b", "3..7", "3-7", "5.."), or a name with the
/// wildcards * and ?. A name comes before anything else that the text may mean.
struct ColumnChoice {
  std::vector<std::string> columns = {};  // in the order they are handed out; empty: all
  std::vector<std::string> exclude = {};  // never handed out
  std::string label = {};                 // one column, whose numbers are the labels; empty: there is none
  std::string index = {};                 // one column that numbers or names the rows: left out
  bool exact = false;                     // columns are names, and nothing else

  bool all() const { return columns.empty() && exclude.empty() && label.empty() && index.empty(); }
};

/// Columns of a table, from 0.
struct ChosenNumbers {
  std::vector<Index> kept;
  std::optional<Index> label;
};

/// The columns that a choice means in a table of `count` columns, whose names may be empty. UsageError where there is no
/// such column, or where one is chosen twice; DataError where none is left. Both begin with `source`.
ChosenNumbers choose_columns(const std::string& source, const std::vector<std::string>& names, Index count,
                             const ColumnChoice& choice);

/// Whether the text is a number from 1 or a range of such numbers, so that no name is needed to understand it.
bool is_column_number(const std::string& text);

template <class S>
class ChosenColumns : public Source<S> {
 public:
  ChosenColumns(SourcePtr<S> whole, ColumnChoice choice);

  const std::string& name() const override { return whole_->name(); }
  std::string_view format() const override { return whole_->format(); }
  std::string_view element_type() const override { return whole_->element_type(); }
  std::optional<Index> rows() const override { return whole_->rows(); }
  Index cols() const override { return static_cast<Index>(numbers_.kept.size()); }
  bool sparse() const override { return whole_->sparse(); }
  /// Of the file with all its columns; the choice is made anew.
  std::optional<IndexRange> indices() const override { return whole_->indices(); }
  void set_indices(IndexRange range) override;

  Index read(Index count, Batch<S>& batch) override;
  void rewind() override { whole_->rewind(); }
  bool rewindable() const override { return whole_->rewindable(); }
  bool random_access() const override { return whole_->random_access(); }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override;

  const std::vector<std::string>& column_names() const override { return names_; }
  std::span<const std::string> warnings() const override { return whole_->warnings(); }
  /// The column of labels where one is chosen, else those of the file.
  std::span<const double> labels() const override { return numbers_.label ? labels_ : whole_->labels(); }

 private:
  void choose();
  void split(Batch<S>& batch);

  SourcePtr<S> whole_;
  ColumnChoice choice_;
  ChosenNumbers numbers_;
  std::vector<Index> places_;  // of each column of the file among those handed out; -1: it is not
  std::vector<std::string> names_;
  Batch<S> rows_;
  std::vector<std::pair<Index, S>> entries_;
  std::vector<double> labels_;
};

extern template class ChosenColumns<float>;
extern template class ChosenColumns<double>;

}  // namespace landfall
