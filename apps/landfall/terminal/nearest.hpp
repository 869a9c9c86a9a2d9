// Suggestions for misspelt words.
//
//   nearest("--componets", {"--components", "--seed"});    // "--components"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::app {

/// Damerau-Levenshtein distance: letters to insert, to delete, to replace, or neighbours to swap.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that begins with the word, if there is one alone; else the nearest one, if no more than a
/// third of the letters differ.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean --components?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace landfall::app
