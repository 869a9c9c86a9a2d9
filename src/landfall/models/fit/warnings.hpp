// What the statistics of the columns say about how far a fit can be trusted, one sentence each.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {.batch = 1024});
//   use(landfall::column_warnings<float>(stream));
//   // "left.csv: 2 constant columns were left out: id, year"
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/linalg/types.hpp>

#include <string>
#include <vector>

namespace landfall {

/// Constant columns, single rows that make up a column's variance, digits that single precision loses, more columns than
/// rows.
template <class S>
std::vector<std::string> column_warnings(const DataStream<S>& stream);

/// Where a view has fewer dimensions than columns.
std::string dependent_columns(const std::string& name, Index columns, Index rank);

/// For landing without a ridge: views whose columns depend on each other, and in single precision those of columns that nearly
/// do, as far as some thousand rows show. Views of more than 512 columns are not looked at.
template <class S>
std::vector<std::string> condition_warnings(DataStream<S>& stream);

extern template std::vector<std::string> condition_warnings<float>(DataStream<float>&);
extern template std::vector<std::string> condition_warnings<double>(DataStream<double>&);
extern template std::vector<std::string> column_warnings<float>(const DataStream<float>&);
extern template std::vector<std::string> column_warnings<double>(const DataStream<double>&);

}  // namespace landfall
