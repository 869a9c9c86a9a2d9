// The commands of `landfall data`, and what they share.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace landfall::app {

void setup_data_info(CLI::App& data);
void setup_data_pencil(CLI::App& data);
void setup_data_planted_cca(CLI::App& data);
void setup_data_laplace_ica(CLI::App& data);
void setup_data_split_images(CLI::App& data);  // split-mnist and split-fashion

/// add("--seed", value, "N", "of the random bases [0]") shows "--seed N  of the random bases [0]".
struct OptionAdder {
  CLI::App* command;
  template <class T>
  CLI::Option* operator()(const char* name, T& value, const char* shown, const std::string& text) const {
    return command->add_option(name, value, text)->option_text(shown);
  }
};

/// --format: the ending without its dot, one that open_writer knows.
CLI::Option* add_format(const OptionAdder& add, std::string& format, const std::string& standard);

}  // namespace landfall::app
