// landfall data: makes data sets whose answer is known.
#include <landfall/data/pencil.hpp>

#include <map>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"

namespace landfall::app {
namespace {

void setup_pencil(CLI::App& data) {
  struct Options {
    std::string folder;
    PencilOptions pencil;
  };
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("pencil", "A generalized eigenproblem: OUT/A.npy, OUT/B.npy");
  command->add_option("OUT", options->folder, "folder to write; made if missing")->required();
  command->add_option("-n,--size", options->pencil.size, "rows and columns of A and B")->capture_default_str();
  command->add_option("--condition", options->pencil.condition, "condition number of A and of B")->capture_default_str();
  const std::map<std::string, PencilKind> kinds{
      {"paper", PencilKind::paper}, {"released", PencilKind::released}, {"planted", PencilKind::planted}};
  command
      ->add_option("--kind", options->pencil.kind,
                   "paper: as in the paper; released: as in the authors' code; planted: eigenvalues known and written")
      ->transform(CLI::CheckedTransformer(kinds))
      ->option_text("paper|released|planted");
  command->add_option("--seed", options->pencil.seed, "seed of the random bases")->capture_default_str();
  command->footer("Examples:\n  landfall data pencil out\n  landfall data pencil out -n 500 --kind planted");
  command->callback([options] {
    const Pencil pencil = make_pencil(options->pencil);
    write_pencil(options->folder, pencil);
    fmt::print(stderr, "wrote {0}/A.npy and {0}/B.npy, {1}x{1}{2}\n", options->folder, options->pencil.size,
               pencil.eigenvalues.size() > 0 ? ", and their eigenvalues" : "");
  });
}

}  // namespace

void setup_data(CLI::App& program) {
  auto* data = program.add_subcommand("data", "Make data sets");
  data->require_subcommand(1);
  setup_pencil(*data);
}

}  // namespace landfall::app
