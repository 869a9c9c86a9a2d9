#include "terminal/nearest.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace landfall::app {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between beginnings of a and b: the one before last, the last, this one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto letters = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('-'), text.size()));
  };
  const std::string_view wanted = letters(word);
  if (wanted.empty()) return std::nullopt;
  const auto begins = [&](const std::string& candidate) { return letters(candidate).starts_with(wanted); };
  if (wanted.size() > 1 && std::count_if(candidates.begin(), candidates.end(), begins) == 1)
    return *std::find_if(candidates.begin(), candidates.end(), begins);
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (letters(candidate).size() < 2) continue;  // -p is one letter away from everything short
    const std::size_t distance = edit_distance(wanted, letters(candidate));
    if (distance >= least) continue;
    least = distance;
    best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto meant = nearest(word, candidates);
  return meant ? fmt::format("; did you mean {}?", *meant) : "";
}

}  // namespace landfall::app
