#include "terminal/model_options.hpp"

#include <landfall/data/rows/missing.hpp>
#include <landfall/errors.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "terminal/help_page.hpp"
#include "terminal/process.hpp"
#include "terminal/ranks.hpp"

namespace landfall::app {

CLI::Option* add_missing(const OptionAdder& add, std::function<void(Missing)> use, const std::string& text) {
  return add.choice(
      "--missing", {"error", "drop", "mean"},
      [use = std::move(use)](const std::string& name) { use(parse_missing(name)); }, text);
}

CLI::Option* add_ridge(const OptionAdder& add, std::optional<double>& ridge, const char* automatic) {
  const auto read = [&ridge](const CLI::results_t& given) {
    ridge.reset();
    double value = 0;
    if (given.front() == "auto") return true;
    if (!CLI::detail::lexical_cast(given.front(), value)) return false;
    ridge = value;
    return true;
  };
  auto* option =
      add.command->add_option("--ridge", read, fmt::format("ridge on the diagonal [auto: {}]", automatic));
  option->option_text("G")->check([](const std::string& text) {
    if (text == "auto") return std::string();
    return number_from(0)(text);
  });
  return option;
}

void add_row_options(const OptionAdder& add, TransformOptions& rows) {
  add.command->add_flag_callback(
      "--scale", [&rows] { rows.scaling = Scaling::deviation; }, "scale every column to unit variance");
  add_missing(
      add, [&rows](Missing missing) { rows.missing = missing; },
      "missing values: error, drop (the row) or mean [error]");
}

void add_centring(const OptionAdder& add, TransformOptions& rows) {
  add.command->add_flag_callback(
      "--no-center", [&rows] { rows.centring = Centring::none; }, "do not centre the columns");
}

void add_held_out(const OptionAdder& add, double& fraction) {
  add("--held-out", fraction, "X", "fraction of the rows to hold out for testing [0]")
      ->check(CLI::Range(0.0, 0.9));
}

void add_landing_options(const OptionAdder& add, AdaptiveOptions& landing) {
  add.command->set_help_all_flag("--help-all", "show also the options of tables and of landing");
  const auto by_hand = [&](const char* name, auto& value, const char* shown, const char* text) {
    return add(name, value, shown, text)->group(kByHand);
  };
  by_hand("--step", landing.step, "ETA", "step size [chosen from the batch size and the data]")
      ->check(positive_number());
  by_hand("--momentum", landing.momentum, "M", "momentum [chosen from the batch size and the data]")
      ->check(CLI::Range(0.0, 0.99));
  by_hand("--attraction", landing.omega, "W", "omega [0.25]")->check(positive_number());
  by_hand("--rank", landing.rank, "K", "rank of the preconditioner [64 or 2p]")->check(whole_number(1));
  by_hand("--warm-up", landing.warm_up, "T", "warm-up passes over the first rows, which stay in memory [8]")
      ->check(whole_number(0));
  add.choice(
         "--estimator", {"recursive", "shared", "split", "svrg"},
         [&landing](const std::string& name) { landing.estimator = parse_estimator(name); },
         "recursive, shared, split or svrg [recursive]")
      ->group(kByHand);
}

void add_guard(const OptionAdder& add, std::optional<Index>& guard, const char* standard) {
  add("--guard", guard, "K", fmt::format("extra columns carried along with the p [{}]", standard))
      ->check(whole_number(0))
      ->group(kByHand);
}

void add_rank_rows(const OptionAdder& add, RankRows& rows) {
  add.choice(
         "--rows", {"shared", "own"},
         [&rows](const std::string& name) { rows = name == "own" ? RankRows::own : RankRows::shared; },
         "under mpirun: ranks read the same files, or own ones ({rank} in a name, a folder) [shared]")
      ->group(kRanks);
}

void add_run_options(const OptionAdder& add, RunOptions& run) {
  add("--precision", run.precision, "NAME", "auto, single or double [auto: that of the files]")
      ->check(one_of({"auto", "single", "double"}));
  add("--threads", run.threads, "N", "number of threads [all processors it may use]")->check(whole_number(1));
  auto* out = add("--out", run.out, "FOLDER", "new folder for weights, history, summary and report")
                  ->check(not_empty("the name of a folder"));
  add.command->add_flag("--force", run.force, "replace an existing run")->needs(out);
  add.command->add_flag("--json", run.json, "print one JSON object instead of the table");
  add.command->add_flag("--warnings-apart", run.warnings_apart)->group("");  // not in the help
  add_quiet(add, run.quiet, run.verbose);
}

void add_quiet(const OptionAdder& add, bool& quiet, bool& verbose) {
  auto* flag = add.command->add_flag("--quiet", quiet, "print only the table, no progress");
  add.command->add_flag("--verbose", verbose, "explain decisions")->excludes(flag);
}

void refuse_by_hand(const CLI::App& command, std::string_view method) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == kByHand && option->count() > 0)
      throw CLI::ValidationError(option->get_name(),
                                 fmt::format("is an option of landing, but --method is {}", method));
}

void add_checkpoint_options(const OptionAdder& add, RunOptions& run) {
  auto* out = add.command->get_option("--out");
  add.command->add_flag("--resume", run.resume, "continue from the checkpoint in --out")
      ->needs(out)
      ->excludes(add.command->get_option("--force"));
  add("--checkpoint-every", run.checkpoint_every, "S", "seconds between checkpoints [60]")
      ->check(number_from(0))
      ->needs(out)
      ->group(kRare);
}

std::optional<RunLock> begin(const RunOptions& run) {
  if (run.threads > most_threads())
    throw DataError(fmt::format("--threads {}: the limit of the address space (ulimit -v) allows {}",
                                run.threads, most_threads()));
  if (run.threads != 0)
    set_threads(run.threads);
  else if (ranks().several())  // the ranks on this machine share its processors
    set_threads(std::max(1, threads() / ranks().local_size));
  if (run.out.empty() || !ranks().first()) return std::nullopt;
  return RunLock(run.out, run.resume ? Existing::resume : run.force ? Existing::replace : Existing::refuse);
}

}  // namespace landfall::app
