// The manual, section 1, as roff.
#pragma once

#include "terminal/command_table.hpp"

namespace landfall::app {

std::string man_page(const CommandEntry& program, std::string_view version);

}  // namespace landfall::app
