// One file per subcommand: each adds itself to the program and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace landfall::app {

void setup_cca(CLI::App& program);
void setup_ica(CLI::App& program);
void setup_lda(CLI::App& program);
void setup_gevp(CLI::App& program);
void setup_transform(CLI::App& program);
void setup_data(CLI::App& program);

}  // namespace landfall::app
