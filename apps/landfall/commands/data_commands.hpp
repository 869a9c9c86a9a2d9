// The commands of `landfall data`, and what they share.
#pragma once

#include <string>

#include "terminal/arguments.hpp"

namespace landfall::app {

void setup_data_info(CLI::App& data);
void setup_data_pencil(CLI::App& data);
void setup_data_planted_cca(CLI::App& data);
void setup_data_laplace_ica(CLI::App& data);
void setup_data_split_images(CLI::App& data);  // split-mnist and split-fashion

/// --format: the ending without its dot, one that open_writer knows.
CLI::Option* add_format(const OptionAdder& add, std::string& format, const std::string& standard);

}  // namespace landfall::app
