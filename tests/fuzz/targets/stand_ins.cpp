// In place of parts of the program that the fuzz targets are not linked with.
#include "commands/commands.hpp"
#include "terminal/process.hpp"

namespace landfall::app {

void setup_reproduce(CLI::App&) {}  // its experiments
int most_threads() {                // what it knows of the process
  return 2;
}

}  // namespace landfall::app
