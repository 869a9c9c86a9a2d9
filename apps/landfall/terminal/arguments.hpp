// Validators for arguments, with error sentences.
//
//   const OptionAdder add{command};
//   add("-p", count, "K", "how many; required")->required()->check(whole_number(1));
//   // "-p: 'x' is not a whole number of at least 1"
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace landfall::app {

CLI::Validator whole_number(std::int64_t least);
CLI::Validator number_from(double least);  // finite
CLI::Validator positive_number();          // finite
/// "512MiB", "2GiB", "1.5GB": a number and a unit, made a number of bytes.
CLI::Validator memory_size();
/// "'' is not the name of a folder"
CLI::Validator not_empty(const std::string& what);
CLI::Validator one_of(std::vector<std::string> names);
/// What one_of() was told about the option; empty where it was not.
std::vector<std::string> choices_of(CLI::Option& option);

/// add("--seed", value, "N", "seed of the random bases [0]") shows "--seed N  seed of the random bases [0]".
struct OptionAdder {
  CLI::App* command;

  /// Instantiated in arguments.cpp for the types that options have: CLI11's templates are slow to compile.
  template <class T>
  CLI::Option* operator()(const char* name, T& value, const char* shown, const std::string& text) const;
  /// One of these names, for `use`.
  CLI::Option* choice(const char* name, std::vector<std::string> names,
                      const std::function<void(const std::string&)>& use, const std::string& text) const;
};

/// "a, b or c"
std::string alternatives(const std::vector<std::string>& names);

/// The sentence for arguments that do not fit, with the help page to see.
std::string explain(CLI::App& program, const CLI::ParseError& error);

}  // namespace landfall::app
