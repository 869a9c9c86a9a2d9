// Sections of a report that say what components are made of and how far to trust them.
//
//   if (Json section = trust_section(report); !section.is_null()) sections.push_back(section);
//   if (Json section = loadings_section(report); !section.is_null()) sections.push_back(section);
#pragma once

#include "report/report_data.hpp"

namespace landfall::app {

/// A table of pairs with their tests; null where the run has none.
Json trust_section(const RunReport& run);

/// Of ICA with restarts: how stable each source is; null where there were none.
Json stability_section(const RunReport& run);

/// Of ICA with -p auto: what each number of components gives; null where the number was given.
Json component_choice_section(const RunReport& run);

/// The largest loadings as bars and, of two components or more, as a circle; shares of the variance. Null where the run has
/// none.
Json loadings_section(const RunReport& run);

}  // namespace landfall::app
