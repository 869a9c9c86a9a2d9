// Pages of help that fit a terminal of 80 columns.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace landfall::app {

/// Headings of options that only --help-all shows.
inline constexpr const char* kByHand = "Advanced options of landing";
inline constexpr const char* kTables = "Options of tables";
inline constexpr const char* kRanks = "Options of ranks";
inline constexpr const char* kRare = "Advanced options";

std::shared_ptr<CLI::FormatterBase> help_page();

/// The text in lines of at most so many columns; those that end in it already stay.
std::string wrapped(const std::string& text, std::size_t columns);

}  // namespace landfall::app
