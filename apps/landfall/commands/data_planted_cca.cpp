// landfall data planted-cca: two views whose canonical correlations are known.
#include <landfall/data/synthetic/planted_cca.hpp>

#include <memory>

#include "commands/data_commands.hpp"
#include "terminal/arguments.hpp"
#include "terminal/screen.hpp"
#include <fmt/format.h>

namespace landfall::app {

void setup_data_planted_cca(CLI::App& data) {
  struct Options {
    std::string folder, format;
    Index components = 10;
    double nonzeros = 0;
    PlantedCcaOptions planted;
  };
  auto options = std::make_shared<Options>();
  auto* command = data.add_subcommand("planted-cca", "Two views whose canonical correlations are known");
  const OptionAdder add{command};
  PlantedCcaOptions& planted = options->planted;
  add("OUT", options->folder, "FOLDER",
      "for left and right, weights_left.npy, weights_right.npy, "
      "correlations.npy; made if missing")
      ->required();
  add("-N,--samples", planted.samples, "N", "rows of both views [10000]")->check(whole_number(1));
  add("--left", planted.left, "N", "columns of the left view [200]")->check(whole_number(1));
  add("--right", planted.right, "N", "columns of the right view [200]")->check(whole_number(1));
  auto* components = add("-p,--components", options->components, "K",
                         "number of canonical pairs, with correlations from 0.9 down to 0.5 [10]")
                         ->check(whole_number(1));
  auto* correlations =
      add("--correlations", planted.correlations, "X,...", "correlations of the pairs (replaces -p)")
          ->delimiter(',')
          ->check(number_from(0))
          ->excludes(components);
  auto* condition =
      add("--condition", planted.condition, "X", "condition number of the covariance of each view [100]")
          ->check(number_from(1));
  auto* spectrum = add.choice(
      "--spectrum", {"log", "flat", "two-level", "power"},
      [&planted](const std::string& name) { planted.spectrum = parse_spectrum(name); },
      "eigenvalues of these covariances: log (geometric), flat (all 1), two-level (a tenth of them 1, the others "
      "1/condition) or power (1, 1/2, 1/3, ...) [log]");
  auto* nonzeros = add("--nonzeros", options->nonzeros, "X",
                       "sparse views with this mean number of nonzeros per row; "
                       "column frequencies follow those of words in a text")
                       ->check(positive_number())
                       ->excludes(condition)
                       ->excludes(spectrum);
  auto* format = add_format(add, options->format, "npy; sparse: svm");
  add("--seed", planted.seed, "N", "seed of all random numbers [0]")->check(whole_number(0));
  command->footer(
      "Examples:\n"
      "  landfall data planted-cca out --left 300 --correlations 0.9,0.7,0.4\n"
      "  landfall data planted-cca out -N 400000 --left 20000 --nonzeros 50");
  command->callback([=] {
    PlantedCcaOptions& chosen = options->planted;
    if (correlations->count() == 0) chosen.correlations = equidistant_correlations(options->components);
    if (nonzeros->count() > 0) chosen.nonzeros = options->nonzeros;
    if (format->count() == 0) options->format = chosen.nonzeros ? "svm" : "npy";
    write_planted_cca(options->folder, chosen, "." + options->format);
    tell("wrote {0}/left.{1}, {2}x{3}, {0}/right.{1}, {2}x{4}, and their weights and correlations\n",
         options->folder, options->format, chosen.samples, chosen.left, chosen.right);
  });
}

}  // namespace landfall::app
