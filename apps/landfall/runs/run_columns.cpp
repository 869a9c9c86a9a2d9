#include "runs/run_columns.hpp"

#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <unordered_set>

#include "terminal/table.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

using Names = std::vector<std::string>;
using NameSet = std::unordered_set<std::string>;

/// The column of the file that a column of the fit was made of: itself, or "sex" of "sex=f".
std::string column_behind(const std::string& fitted, const NameSet& found, bool one_hot) {
  if (found.contains(fitted)) return fitted;
  for (std::size_t at = fitted.find('='); one_hot && at != std::string::npos; at = fitted.find('=', at + 1))
    if (found.contains(fitted.substr(0, at))) return fitted.substr(0, at);
  return "";
}

[[noreturn]] void refuse_columns(const FittedRun& run, std::size_t view, const std::string& file,
                                 const NameSet& found, const Names& missing) {
  const auto& views = run.problem->views;
  for (std::size_t other = 0; other < views.size(); ++other) {
    const Names& names = run.columns[other];
    if (other != view && !names.empty() && std::ranges::all_of(names, [&](const auto& name) {
          return !column_behind(name, found, run.one_hot).empty();
        }))
      throw DataError(
          fmt::format("{}: has the columns of the {} view, expected those of the {} view; swap the files",
                      file, views[other].name, views[view].name));
  }
  constexpr std::size_t most = 5;
  Names shown;
  for (std::size_t k = 0; k < std::min(most, missing.size()); ++k)
    shown.push_back(fmt::format("'{}'", missing[k]));
  throw DataError(fmt::format("{}: no column {}{}, which {} was fitted on", file, fmt::join(shown, ", "),
                              missing.size() > most ? fmt::format(" and {} more", missing.size() - most) : "",
                              run.folder.string()));
}

/// What to read of a file with these columns.
void choose_by_name(const FittedRun& run, std::size_t view, const std::string& file, const Names& names,
                    TableOptions& table) {
  const NameSet found(names.begin(), names.end());
  NameSet chosen;
  Names missing;
  for (const auto& fitted : run.columns[view]) {
    const std::string column = column_behind(fitted, found, run.one_hot);
    if (column.empty())
      missing.push_back(fitted);
    else if (chosen.insert(column).second)
      table.columns.push_back(column);
  }
  if (!missing.empty()) refuse_columns(run, view, file, found, missing);
  table.exact = true;
  table.header = CsvHeader::present;
  table.categories = run.columns[view];
}

/// Names that tell columns apart.
bool usable(Names names) {
  std::sort(names.begin(), names.end());
  return !names.empty() && std::adjacent_find(names.begin(), names.end()) == names.end();
}

}  // namespace

template <class S>
SourcePtr<S> open_run_columns(const FittedRun& run, std::size_t view, const std::filesystem::path& file,
                              TableOptions table, Index expected) {
  const std::string name = shown_name(file);
  if (run.one_hot) table.text = TextColumns::one_hot;
  bool by_name = usable(run.columns[view]) && table.columns.empty();
  if (by_name) {
    TableOptions all = table;
    all.text = TextColumns::as_missing;
    const Names names = open_source<S>(file, all)->column_names();
    by_name = !names.empty();
    if (by_name) choose_by_name(run, view, name, names, table);
  }
  SourcePtr<S> source = open_source<S>(file, table);
  if (by_name && source->column_names() != run.columns[view]) {
    const Names& found = source->column_names();
    for (const auto& fitted : run.columns[view])
      if (std::ranges::find(found, fitted) == found.end())
        throw DataError(fmt::format("{}: column '{}' does not hold numbers as in the data of {}", name,
                                    fitted, run.folder.string()));
    source = std::make_unique<ChosenColumns<S>>(std::move(source),
                                                ColumnChoice{.columns = run.columns[view], .exact = true});
  }
  if (const auto range = source->indices(); range && table.choice().all()) {
    const Index first = run.first_index[view].value_or(range->first);
    if (range->first < first)
      throw DataError(fmt::format("{}: counts columns from {}, expected {} as in the data of {}",
                                  source->name(), range->first, first, run.folder.string()));
    source->set_indices({first, std::max(range->last, first + expected - 1)});
  }
  if (source->cols() != expected)
    throw DataError(fmt::format("{}: {}, expected the {} that {} was fitted on", source->name(),
                                counted(static_cast<std::size_t>(source->cols()), "column"), expected,
                                run.folder.string()));
  return source;
}

template SourcePtr<float> open_run_columns<float>(const FittedRun&, std::size_t, const std::filesystem::path&,
                                                  TableOptions, Index);
template SourcePtr<double> open_run_columns<double>(const FittedRun&, std::size_t,
                                                    const std::filesystem::path&, TableOptions, Index);

}  // namespace landfall::app
