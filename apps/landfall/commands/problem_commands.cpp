#include "commands/problem_commands.hpp"

#include <map>

namespace landfall::app {

void setup_cca(CLI::App& parent, Action action);
void setup_ica(CLI::App& parent, Action action);
void setup_lda(CLI::App& parent, Action action);
void setup_gevp(CLI::App& parent, Action action);

void setup_problem(std::string_view name, CLI::App& parent, Action action) {
  static const std::map<std::string_view, void (*)(CLI::App&, Action)> setups{
      {"cca", setup_cca}, {"ica", setup_ica}, {"lda", setup_lda}, {"gevp", setup_gevp}};
  setups.at(name)(parent, action);
}

}  // namespace landfall::app
