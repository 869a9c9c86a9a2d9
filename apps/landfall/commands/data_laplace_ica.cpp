// landfall data laplace-ica: mixtures of independent sources.
#include <landfall/data/synthetic/laplace_ica.hpp>

#include <memory>

#include "commands/data_commands.hpp"
#include "terminal/arguments.hpp"
#include "terminal/screen.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_data_laplace_ica(CLI::App& data) {
  struct Options {
    std::string folder, format = "npy";
    LaplaceIcaOptions mixture;
  };
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("laplace-ica", "Mixtures of independent sources, as in the paper");
  const OptionAdder add{command};
  LaplaceIcaOptions& mixture = options->mixture;
  add("OUT", options->folder, "FOLDER", "folder for data, mixing.npy and truth.json; created if missing")
      ->required();
  add("-N,--samples", mixture.samples, "N", "rows [100000]")->check(whole_number(1));
  add("-n,--features", mixture.features, "N", "number of columns and of sources [10]")
      ->check(whole_number(1));
  add("--condition", mixture.condition, "X", "condition number of the mixing matrix; 1 is orthogonal [1]")
      ->check(number_from(1));
  add("--uniform", mixture.uniform_sources, "K", "number of uniform sources; the others are Laplace [0]")
      ->check(whole_number(0));
  add_format(add, options->format, "npy");
  add("--seed", mixture.seed, "N", "seed of all random numbers [0]")->check(whole_number(0));
  command->footer(
      "Examples:\n"
      "  landfall data laplace-ica out\n"
      "  landfall data laplace-ica out -n 20 --condition 10 --uniform 5");
  command->callback([options] {
    write_laplace_ica(options->folder, options->mixture, "." + options->format);
    tell("wrote {0}/data.{1}, {2}x{3}, {0}/mixing.npy and {0}/truth.json\n", options->folder, options->format,
         options->mixture.samples, options->mixture.features);
  });
}

}  // namespace landfall::app
