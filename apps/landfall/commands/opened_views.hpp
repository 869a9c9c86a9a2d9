// What open files tell before a fit takes them.
//
//   const Json names = per_view(fit.views, names_of<S>);
//   tell_warnings(opening_warnings(fit.views));
#pragma once

#include <landfall/data/rows/source.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "problems/summary.hpp"

namespace landfall::app {

/// Whether columns of an svmlight file are counted from 0 or 1; null where the width of a file is its own.
template <class S>
Json first_index(const SourcePtr<S>& source) {
  const auto range = source->indices();
  return range ? Json(range->first) : Json();
}

/// Null where the columns have no names.
template <class S>
Json names_of(const SourcePtr<S>& source) {
  return source->column_names().empty() ? Json() : Json(source->column_names());
}

/// Of all views, each once: two views may be of one file.
template <class S>
std::vector<std::string> opening_warnings(const std::vector<SourcePtr<S>>& views) {
  std::vector<std::string> warnings;
  for (const auto& view : views)
    for (const auto& warning : view->warnings())
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  return warnings;
}

}  // namespace landfall::app
