// What an argument may be, with sentences that say what it was.
//
//   command->add_option("-p", count)->check(whole_number(1));
//   // "-p: 'x' is not a whole number of at least 1"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace landfall::app {

CLI::Validator whole_number(std::int64_t least);
CLI::Validator number_from(double least);  // finite
CLI::Validator positive_number();          // finite
/// "512MiB", "2GiB", "1.5GB": a number and a unit, made a number of bytes.
CLI::Validator memory_size();
CLI::Validator one_of(std::vector<std::string> names);

/// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

/// The sentence for arguments that do not fit, with the help page to see.
std::string explain(const CLI::App& program, const CLI::ParseError& error);

}  // namespace landfall::app
