// What the report of a run shows beside its numbers: names of columns, whether they are pixels, and the scores of
// some rows, which are set aside before the fit takes the sources.
//
//   ReportRows<float> rows(options.report, {left.get(), right.get()}, {.memory = memory, .kept = true});
//   const auto result = fit_cca<float>(std::move(left), std::move(right), options);
//   const Json shown = rows.json(result.views, options.transform);            // report.json of the run folder
#pragma once

#include <landfall/data/formats/labels.hpp>
#include <landfall/data/rows/source.hpp>
#include <landfall/data/rows/transform.hpp>
#include <landfall/models/fit/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/summary.hpp"

namespace landfall::app {

struct ReportOptions {
  std::string image;   // "28x14", of the columns of every view; empty: they are no pixels
  std::string labels;  // a file with the classes that colour rows; empty: none
};

/// Height and width; empty where the text is no such thing.
std::vector<Index> parse_image(std::string_view text);

/// A class of one row whose name is on the first line looks like a header: the number of rows tells.
Labels read_labels_of(const std::string& path, std::optional<Index> rows);

enum class Sampling {
  spread,    // over the file where any row can be read, else its first rows
  in_order,  // the first rows: a signal
};

struct SampleOptions {
  std::uint64_t memory = 0;  // of which a 64th may be taken
  bool kept = true;          // false: no run folder is wanted, so only the options are checked
  Sampling sampling = Sampling::spread;
  const Labels* labels = nullptr;  // of the fit itself
};

template <class S>
class ReportRows {
 public:
  /// UsageError where the pixels are not as many as the columns, DataError where the labels are not as many as
  /// the rows. Sources that can be read once only are left alone.
  ReportRows(const ReportOptions& options, const std::vector<Source<S>*>& views, const SampleOptions& sample);

  /// After the fit, which knows the number of rows of any file: DataError where there are more or fewer labels.
  void expect_rows(const std::string& data, Index rows) const;
  /// Names of columns, size of the picture, scores of the rows.
  Json json(std::span<const FittedView<S>> views, const TransformOptions& transform);

 private:
  void spread(const std::vector<Source<S>*>& views, Index most);
  void read_first(const std::vector<Source<S>*>& views, std::uint64_t bytes);

  std::vector<Index> image_;  // height, width
  std::vector<std::vector<std::string>> names_;
  std::vector<Batch<S>> rows_;  // of each view
  std::optional<Labels> own_labels_;
  const Labels* labels_ = nullptr;
};

extern template class ReportRows<float>;
extern template class ReportRows<double>;

}  // namespace landfall::app
