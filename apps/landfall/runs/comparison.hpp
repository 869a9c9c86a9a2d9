// Several methods on one problem: each in a process of its own, then one table.
//
//   Comparison comparison{.problem = find_problem("cca"), .arguments = {"left.npy", "right.npy", "--components", "5"},
//                         .methods = {"exact", "landing"}, .passes = {"1", "4"}};
//   const Json result = compare(comparison, [](const std::string& name) { tell(name); });
//   print_comparison(result);
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "problems/problems.hpp"
#include "problems/summary.hpp"

namespace landfall::app {

struct Comparison {
  const ProblemEntry& problem;
  std::vector<std::string> arguments;  // for every run
  std::vector<std::string> by_hand{};  // for those of landing and its kind
  std::vector<std::string> methods{};  // as --method takes them
  std::vector<std::string> passes{};   // for methods that iterate, once with each; empty: as by default
  std::uint64_t memory = 0;            // the exact optimum is found out where that fits in so many bytes
  bool quiet = false;
  std::filesystem::path folder{};  // of a folder for each run; none when empty
};

/// What compared_runs.hpp says. `begin` is told the name of each run before it starts. Throws ChildFailed for a run whose
/// arguments or data are wrong; where the numbers failed, it is an entry.
Json compare(const Comparison& comparison, const std::function<void(const std::string& name)>& begin);

/// The table on standard output.
void print_comparison(const Json& result);

}  // namespace landfall::app
