// Options that the commands of models share: what is done to the rows, how the problem is solved, landing by
// hand, and what becomes of the run.
//
//   const OptionAdder add{command};
//   add_solver_options(add, options->cca, {.passes = "4", .batch = "128 or 8p", .ridge = "none"});
//   add_row_options(add, options->cca.transform);
//   add_run_options(add, options->run);
//   add_landing_options(add, options->cca.landing);
#pragma once

#include <landfall/data/rows/transform.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/parallel/communicator.hpp>
#include <landfall/run/run_lock.hpp>

#include <optional>
#include <string>

#include "terminal/arguments.hpp"
#include "terminal/help_page.hpp"
#include <fmt/format.h>

namespace landfall::app {

struct RunOptions {
  std::string precision = "auto";
  std::string out = {};  // run folder; none when empty
  bool force = false, resume = false;
  double checkpoint_every = 60;  // seconds
  int threads = 0;               // 0: all
  bool json = false, quiet = false, verbose = false;
  bool warnings_apart = false;  // they are in the summary alone: compare shows them once
};

/// What the help page says of the values that are taken where none is given.
struct SolverDefaults {
  const char* passes;
  const char* batch;
  const char* ridge;  // automatic
};

/// --ridge G, or auto.
CLI::Option* add_ridge(const OptionAdder& add, std::optional<double>& ridge, const char* automatic);

/// --ridge, --relative-ridge, --passes, --batch, --memory and --seed of CcaOptions, IcaOptions or LdaOptions.
template <class Options>
void add_solver_options(const OptionAdder& add, Options& options, const SolverDefaults& defaults) {
  auto* ridge = add_ridge(add, options.ridge, defaults.ridge);
  add("--relative-ridge", options.relative_ridge, "G", "ridge as a multiple of the variance of each column")
      ->check(number_from(0))
      ->excludes(ridge);
  add("--passes", options.passes, "T", fmt::format("passes of landing over the data [{}]", defaults.passes))
      ->check(positive_number());
  add("--tolerance", options.tolerance, "X",
      "estimated gap to the optimum at which landing ends without --passes [0.001]")
      ->check(positive_number())
      ->group(kByHand);
  add("--max-passes", options.most_passes, "T", "most passes without --passes [32]")
      ->check(number_from(1))
      ->group(kByHand);
  add("--batch", options.batch, "R", fmt::format("rows per step [{}]", defaults.batch))
      ->check(whole_number(1));
  add("--memory", options.memory, "SIZE", "memory the method may use, such as 512MiB [2GiB]")
      ->transform(memory_size());
  add("--seed", options.seed, "N", "seed of the row order and the starting point [0]")
      ->check(whole_number(0));
}

/// --scale and --missing.
void add_row_options(const OptionAdder& add, TransformOptions& rows);
/// --no-center.
void add_centring(const OptionAdder& add, TransformOptions& rows);
CLI::Option* add_missing(const OptionAdder& add, std::function<void(Missing)> use, const std::string& text);
Missing parse_missing(std::string_view name);
std::string_view to_string(Missing missing);

/// --held-out.
void add_held_out(const OptionAdder& add, double& fraction);

/// --step, --momentum, --attraction, --rank, --warm-up and --estimator, under a heading of their own.
void add_landing_options(const OptionAdder& add, AdaptiveOptions& landing);
/// --guard, under the same heading.
void add_guard(const OptionAdder& add, std::optional<Index>& guard, const char* standard);

/// --rows.
void add_rank_rows(const OptionAdder& add, RankRows& rows);

/// --precision, --threads, --out, --force, --json, --quiet and --verbose.
void add_run_options(const OptionAdder& add, RunOptions& run);
/// The last two, of which there may be one.
void add_quiet(const OptionAdder& add, bool& quiet, bool& verbose);
/// --resume and --checkpoint-every.
void add_checkpoint_options(const OptionAdder& add, RunOptions& run);

/// Options of landing contradict a method that is not.
void refuse_by_hand(const CLI::App& command, std::string_view method);

/// Before the work: the run folder is this run's alone while the lock lives, the threads are as many as asked for.
[[nodiscard]] std::optional<RunLock> begin(const RunOptions& run);

}  // namespace landfall::app
