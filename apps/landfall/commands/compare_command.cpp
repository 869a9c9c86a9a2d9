// landfall compare cca|ica|gevp DATA... --methods a,b,c: several methods on one problem, in one table.
#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>
#include <landfall/run/run_lock.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "commands/commands.hpp"
#include "commands/problem_commands.hpp"
#include "runs/child_run.hpp"
#include "runs/compared_runs.hpp"
#include "runs/comparison.hpp"
#include "runs/model_run.hpp"
#include "terminal/arguments.hpp"
#include "terminal/command_line.hpp"
#include "terminal/help_page.hpp"
#include "terminal/nearest.hpp"
#include "terminal/progress.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct CompareArguments {
  std::vector<std::string> known;  // methods; empty: whatever the command takes
  std::vector<std::string> methods, passes;
  std::string memory, out;
  bool json = false, quiet = false, force = false;
};

/// Options of the command and their values as words of a command line.
template <class Wanted>
std::vector<std::string> words_of(const CLI::App& command, const Wanted& wanted) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || !wanted(*option)) continue;
    if (!option->get_positional()) words.push_back(option->get_name());
    if (option->get_items_expected_max() == 0) continue;  // a flag
    for (const auto& value : option->results()) words.push_back(value);
  }
  return words;
}

bool is_by_hand(const CLI::Option& option) {
  return option.get_group() == kByHand || option.get_name() == "--direction";
}

void refuse_standard_input(const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), "-") != words.end())
    throw UsageError("standard input can be read only once; compare takes files");
}

void check_methods(const std::vector<std::string>& methods, const std::vector<std::string>& known) {
  for (const auto& method : methods)
    if (!known.empty() && std::find(known.begin(), known.end(), method) == known.end())
      throw CLI::ValidationError(
          "--methods", fmt::format("'{}' is not a method for this problem; see landfall methods{}", method,
                                   suggestion(method, known)));
}

std::uint64_t bytes(std::string text) {
  memory_size()(text);
  return std::stoull(text);
}

/// The words of a run inside a comparison as a user would type them: what compare asks for on its own behalf is left out, and the
/// folder is where the comparison goes.
Json typed_words(const Json& words, const std::string& folder, const std::string& shown) {
  Json typed = Json::array();
  for (const std::string word : words)
    if (word != "--json" && word != "--quiet" && word != "--warnings-apart")
      typed.push_back(word == folder ? shown : word);
  return typed;
}

/// In the result, and in the folders of the runs with their reports.
void show_commands_as_typed(const std::filesystem::path& folder, const std::string& out, Json& result) {
  for (auto& run : result["runs"]) {
    if (run["failed"] || !run["summary"].contains("command")) continue;
    const std::string name = run.value("folder", "");
    const std::filesystem::path at = folder / name;
    Json& command = run["summary"]["command"];
    command = typed_words(command, at.string(), (std::filesystem::path(out) / name).string());
    if (name.empty()) continue;
    Json summary = read_summary(at);
    summary["command"] = command;
    write_json(summary_in(at), summary);
    write_report(at / "report.html", read_report(at));
  }
}

void run(const CompareArguments& options, Comparison comparison) {
  refuse_standard_input(comparison.arguments);
  std::optional<RunLock> lock;
  if (!options.out.empty()) lock.emplace(options.out, options.force ? Existing::replace : Existing::refuse);
  comparison.methods = options.methods;
  comparison.passes = options.passes;
  comparison.memory = bytes(options.memory.empty() ? "2GiB" : options.memory);
  comparison.quiet = options.quiet;
  const auto work = [&] {
    ProgressLine line(standard_error(), !options.quiet);
    return compare(comparison, [&](const std::string& name) { line.say(name + " ..."); });
  };
  Json result;
  if (options.out.empty()) {
    result = work();
    show_commands_as_typed({}, {}, result);
  } else {
    if (options.force) begin_run_folder(options.out);
    write_run_folder(options.out, [&](const std::filesystem::path& folder) {
      comparison.folder = folder;
      result = work();
      result["command"] = command_line();
      show_commands_as_typed(folder, options.out, result);
      write_comparison(folder, result);
    });
  }
  const auto& runs = result["runs"];
  if (std::all_of(runs.begin(), runs.end(), [](const auto& one) { return one["failed"]; }))
    throw ChildFailed{4};
  if (options.json)
    fmt::print("{}\n", json_text(result));
  else
    print_comparison(result);
  std::fflush(stdout);
  if (!options.json) tell_warnings(common_warnings(result));
}

/// Options that are for the comparison, not for its runs.
bool is_own(const CLI::Option& option) {
  const std::vector<std::string> names{"--methods", "--passes", "--out", "--force", "--json", "--quiet"};
  return std::find(names.begin(), names.end(), option.get_name()) != names.end();
}

/// Makes of the options of a command that runs one method those of one that runs several.
void take_methods(CLI::App& command, CompareArguments& options) {
  options.known = choices_of(*command.get_option("--method"));
  const bool has_passes = command.get_option_no_throw("--passes") != nullptr;
  const bool has_memory = command.get_option_no_throw("--memory") != nullptr;
  for (const char* name : {"--method", "--passes", "--memory", "--out", "--json", "--quiet", "--verbose",
                           "--force", "--resume", "--checkpoint-every"})
    if (auto* option = command.get_option_no_throw(name)) command.remove_option(option);

  const OptionAdder add{&command};
  add("--methods", options.methods, "A,B,...", "names that --method accepts; required")
      ->delimiter(',')
      ->required();
  if (has_passes)
    add("--passes", options.passes, "T,...",
        "numbers of passes; iterative methods run once for each [one default]")
        ->delimiter(',')
        ->check(positive_number());
  if (has_memory)
    add("--memory", options.memory, "SIZE", "memory the method may use, such as 512MiB [2GiB]")
        ->check(memory_size());
  auto* out = add("--out", options.out, "FOLDER", "new folder for the runs and the report");
  command.add_flag("--force", options.force, "replace an existing comparison")->needs(out);
  command.add_flag("--json", options.json, "print one JSON object instead of the table");
  command.add_flag("--quiet", options.quiet, "print only the table, no progress");
}

}  // namespace

void setup_compare(CLI::App& program) {
  auto* command = program.add_subcommand("compare", "Compare several methods on one problem");
  command->require_subcommand(1);
  for (const ProblemEntry& problem : problems())
    if (!problem.measures.empty()) setup_problem(problem.name, *command, Action::compare);
  auto options = std::make_shared<std::map<const CLI::App*, CompareArguments>>();
  for (CLI::App* problem : command->get_subcommands(nullptr)) {
    take_methods(*problem, (*options)[problem]);
    problem->footer(fmt::format("Examples:\n{}", find_problem(problem->get_name()).compare_examples));
  }
  command->footer(
      "Each run is a separate process; times exclude the evaluation.\n"
      "Examples:\n"
      "  landfall compare cca left.npy right.npy -p 5 --methods exact,landing\n"
      "  landfall compare gevp A.npy B.npy -p 5 --methods direct,lobpcg,landing");
  command->callback([command, options] {
    const CLI::App& problem = *command->get_subcommands().front();
    const CompareArguments& chosen = options->at(&problem);
    check_methods(chosen.methods, chosen.known);
    const auto forwarded = [](const CLI::Option& option) { return !is_by_hand(option) && !is_own(option); };
    run(chosen, {.problem = find_problem(problem.get_name()),
                 .arguments = words_of(problem, forwarded),
                 .by_hand = words_of(problem, is_by_hand)});
  });
}

}  // namespace landfall::app
