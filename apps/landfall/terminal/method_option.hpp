// --method: what a problem has itself, or the name of a baseline.
//
//   add_method(add, {"auto", "exact", "landing"}, Problem::cca, choose, options->cca.baseline, text);
#pragma once

#include <landfall/baselines/registry.hpp>

#include <functional>
#include <string>
#include <vector>

#include "terminal/arguments.hpp"

namespace landfall::app {

/// These names, and those of the baselines that solve the problem.
CLI::Validator known_method(std::vector<std::string> names, Problem problem);

/// Calls choose() with one of the names; sets `baseline` to one of the registry's.
void add_method(const OptionAdder& add, std::vector<std::string> names, Problem problem,
                std::function<void(const std::string&)> choose, std::string& baseline,
                const std::string& text);

/// UsageError for a baseline, of whose costs nothing is known.
void require_planned(const std::string& baseline);

}  // namespace landfall::app
