// landfall data pencil: a generalized eigenproblem.
#include <landfall/data/synthetic/pencil.hpp>

#include <memory>

#include "commands/data_commands.hpp"
#include "terminal/arguments.hpp"
#include "terminal/screen.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_data_pencil(CLI::App& data) {
  struct Options {
    std::string folder, kind = "paper";
    PencilOptions pencil;
  };
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("pencil", "A generalized eigenproblem A x = lambda B x");
  const OptionAdder add{command};
  add("OUT", options->folder, "FOLDER", "folder for A.npy and B.npy; created if missing")->required();
  add("-n,--size", options->pencil.size, "N", "rows and columns of A and B [1000]")->check(whole_number(1));
  add("--condition", options->pencil.condition, "X", "condition number of A and of B [100]")
      ->check(number_from(1));
  add("--kind", options->kind, "NAME",
      "paper: spectra of the paper's text [paper]\n"
      "released: spectra of the authors' code\n"
      "planted: eigenvalues known, in OUT/eigenvalues.npy")
      ->check(one_of({"paper", "released", "planted"}));
  add("--seed", options->pencil.seed, "N", "seed of the random bases [0]")->check(whole_number(0));
  command->footer(
      "Examples:\n"
      "  landfall data pencil out\n"
      "  landfall data pencil out -n 500 --kind planted");
  command->callback([options] {
    options->pencil.kind = options->kind == "paper"      ? PencilKind::paper
                           : options->kind == "released" ? PencilKind::released
                                                         : PencilKind::planted;
    const SyntheticPencil pencil = make_pencil(options->pencil);
    write_pencil(options->folder, pencil);
    tell("wrote {0}/A.npy and {0}/B.npy{2}, {1}x{1}\n", options->folder, options->pencil.size,
         pencil.eigenvalues.size() > 0 ? ", and eigenvalues.npy" : "");
  });
}

}  // namespace landfall::app
