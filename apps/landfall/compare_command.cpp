// landfall compare cca|ica|gevp DATA... --methods a,b,c: several methods on one problem, in one table.
#include <landfall/errors.hpp>

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "model_options.hpp"
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

/// What the options of the command and their values are on a command line.
std::vector<std::string> forwarded(const CLI::App& command, const std::vector<std::string>& own) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || std::find(own.begin(), own.end(), option->get_name()) != own.end()) continue;
    if (!option->get_positional()) words.push_back(option->get_name());
    if (option->get_items_expected_max() == 0) continue;  // a flag
    for (const auto& value : option->results()) words.push_back(value);
  }
  return words;
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

void run(const std::string& problem, const Options& options, std::vector<std::string> arguments) {
  refuse_standard_input(arguments);
  if (!options.out.empty())
    require_usable_folder(options.out, options.force ? Existing::replace : Existing::refuse);
  Comparison comparison{.problem = problem,
                        .arguments = std::move(arguments),
                        .methods = options.methods,
                        .passes = options.passes,
                        .memory = bytes(options.memory.empty() ? "2GiB" : options.memory),
                        .quiet = options.quiet};
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
      write_summary(folder, {{"problem", "comparison"}, {"of", problem}, {"methods", options.methods}});
    });
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
    run(command.get_name(), *options, forwarded(command, own));
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
