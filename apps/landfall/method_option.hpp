// --method: what a problem has itself, or the name of a rival.
//
//   add_method(add, {"auto", "exact", "landing"}, Problem::cca, choose, options->cca.rival, text);
#pragma once

#include <landfall/rivals/registry.hpp>

#include <functional>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace landfall::app {

/// These names, and those of the rivals that solve the problem.
CLI::Validator known_method(std::vector<std::string> names, Problem problem);

/// Calls choose() with one of the names; sets `rival` to one of the registry's.
void add_method(const OptionAdder& add, std::vector<std::string> names, Problem problem,
                std::function<void(const std::string&)> choose, std::string& rival, const std::string& text);

/// UsageError for a rival, of whose costs nothing is known.
void require_planned(const std::string& rival);

}  // namespace landfall::app
