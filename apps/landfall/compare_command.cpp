// landfall compare cca|ica|gevp DATA... --methods a,b,c: several methods on one problem, in one table.
#include <landfall/errors.hpp>

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "child_run.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "help_page.hpp"
#include "nearest.hpp"
#include "progress.hpp"
#include "run_folder.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Options {
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
      throw CLI::ValidationError("--methods", fmt::format("'{}' is not {}{}", method, alternatives(known),
                                                          suggestion(method, known)));
}

std::uint64_t bytes(std::string text) {
  memory_size()(text);
  return std::stoull(text);
}

void run(const Options& options, Comparison comparison) {
  refuse_standard_input(comparison.arguments);
  if (!options.out.empty())
    require_usable_folder(options.out, options.force ? Existing::replace : Existing::refuse);
  comparison.methods = options.methods;
  comparison.passes = options.passes;
  comparison.memory = bytes(options.memory.empty() ? "2GiB" : options.memory);
  comparison.quiet = options.quiet;
  const auto work = [&] {
    ProgressLine line(standard_error(), !options.quiet);
    return compare(comparison, [&](const std::string& name) { line.say(name + " ..."); });
  };
  nlohmann::ordered_json result;
  if (options.out.empty())
    result = work();
  else
    write_run_folder(options.out, [&](const std::filesystem::path& folder) {
      comparison.folder = folder;
      result = work();
      write_json(folder / "comparison.json", result);
      write_summary(folder,
                    {{"problem", "comparison"}, {"of", comparison.problem}, {"methods", options.methods}});
    });
  const auto& runs = result["runs"];
  if (std::all_of(runs.begin(), runs.end(), [](const auto& one) { return one["failed"]; }))
    throw ChildFailed{4};
  if (options.json)
    fmt::print("{}\n", json_text(result));
  else
    print_comparison(result);
}

/// Makes of a command that runs one method one that runs several.
void compare_by(CLI::App& command, const char* example) {
  auto options = std::make_shared<Options>();
  const auto known = choices_of(*command.get_option("--method"));
  const bool has_passes = command.get_option_no_throw("--passes") != nullptr;
  const bool has_memory = command.get_option_no_throw("--memory") != nullptr;
  for (const char* name : {"--method", "--passes", "--memory", "--out", "--json", "--quiet", "--verbose",
                           "--force", "--resume", "--checkpoint-every"})
    if (auto* option = command.get_option_no_throw(name)) command.remove_option(option);

  const OptionAdder add{&command};
  std::vector<std::string> own{"--methods", "--out", "--force", "--json", "--quiet"};
  add("--methods", options->methods, "A,B,...", "names as --method takes them; required")
      ->delimiter(',')
      ->required();
  if (has_passes) {
    own.emplace_back("--passes");
    add("--passes", options->passes, "T,...", "methods that iterate run once with each [as by default]")
        ->delimiter(',')
        ->check(positive_number());
  }
  if (has_memory)
    add("--memory", options->memory, "SIZE", "that may be used, such as 512MiB [2GiB]")->check(memory_size());
  auto* out = add("--out", options->out, "FOLDER", "a new folder for comparison.json and the runs");
  command.add_flag("--force", options->force, "replace the comparison that is there")->needs(out);
  command.add_flag("--json", options->json, "print one JSON object instead of the table");
  command.add_flag("--quiet", options->quiet, "print the table alone, no progress");
  command.footer(fmt::format("Examples:\n{}", example));
  command.parse_complete_callback([options, known, own, &command] {
    check_methods(options->methods, known);
    const auto forwarded = [&own](const CLI::Option& option) {
      return !is_by_hand(option) && std::find(own.begin(), own.end(), option.get_name()) == own.end();
    };
    run(*options, {.problem = command.get_name(),
                   .arguments = words_of(command, forwarded),
                   .by_hand = words_of(command, is_by_hand)});
  });
}

}  // namespace

void setup_compare(CLI::App& program) {
  auto* command = program.add_subcommand("compare", "Several methods on one problem, in one table");
  command->require_subcommand(1);
  setup_cca(*command, Action::compare);
  setup_ica(*command, Action::compare);
  setup_gevp(*command, Action::compare);
  compare_by(*command->get_subcommand("cca"),
             "  landfall compare cca left.npy right.npy -p 5 --methods exact,landing\n"
             "  landfall compare cca a.npy b.npy -p 5 --methods landing --passes 1,4");
  compare_by(*command->get_subcommand("ica"),
             "  landfall compare ica data.npy --methods landing --passes 1,2,4\n"
             "  landfall compare ica data.npy --methods landing --truth mixing.npy");
  compare_by(*command->get_subcommand("gevp"),
             "  landfall compare gevp A.npy B.npy -p 5 --methods direct,lobpcg,landing\n"
             "  landfall compare gevp A.mtx B.mtx -p 5 --smallest --methods lobpcg,landing");
  command->footer(
      "Each run is a process of its own; the time of evaluations does not count.\n"
      "Examples:\n"
      "  landfall compare cca left.npy right.npy -p 5 --methods exact,landing\n"
      "  landfall compare gevp A.npy B.npy -p 5 --methods direct,lobpcg,landing");
}

}  // namespace landfall::app
