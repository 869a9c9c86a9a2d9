#include "commands/model_arguments.hpp"

#include "commands/model_command.hpp"
#include "terminal/help_page.hpp"
#include "terminal/method_option.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// A number, or auto.
void add_components(const OptionAdder& add, ModelOptions& options, const char* text) {
  const auto read = [&options](const CLI::results_t& given) {
    options.choose_components = given.front() == "auto";
    options.fit.components = 0;
    return options.choose_components || CLI::detail::lexical_cast(given.front(), options.fit.components);
  };
  add.command->add_option("-p,--components", read, text)
      ->option_text("K")
      ->check(
          [](const std::string& given) { return given == "auto" ? std::string() : whole_number(1)(given); });
}

}  // namespace

void add_model_options(const OptionAdder& add, ModelCommand& model) {
  const ModelHelp help = model.help();
  const auto& files = model.problem().files;
  ModelOptions& options = model.options;
  FitOptions& fit = options.fit;
  options.files.resize(files.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    add(files[i].name, options.files[i], "FILE", files[i].text)->required(!files[i].optional);
  model.add_data_options(add);
  if (help.automatic_components)
    add_components(add, options, help.components);
  else
    add("-p,--components", fit.components, "K", help.components)
        ->required(help.needs_components)
        ->check(whole_number(1));
  model.add_own_options(add);
  const auto choose = [&fit](const std::string& name) { fit.method = parse_fit_method(name); };
  if (help.baselines)
    add_method(add, help.methods, *help.baselines, choose, fit.baseline, help.method);
  else
    add.choice("--method", help.methods, choose, help.method);
  add_solver_options(add, fit, help.defaults);
  if (help.centring) add_centring(add, fit.transform);
  add_row_options(add, fit.transform);
  add("--weights", options.weights, "NAME",
      fmt::format("weights of the rows: a column of {} or a file", files[0].name))
      ->check(not_empty("the name of a column or a file"))
      ->group(kTables);
  if (help.held_out) add_held_out(add, fit.held_out);
  model.add_test_options(add);
  add_rank_rows(add, fit.rank_rows);
  add_run_options(add, options.run);
  add.choice(
      "--show", {"loadings"}, [&options](const std::string&) { options.show_loadings = true; },
      "loadings: what each component is made of");
  add_image(add, options.report);
  if (help.report_labels) add_report_labels(add, options.report);
  add_checkpoint_options(add, options.run);
  add_table_options(add, options.table);
  add_landing_options(add, fit.landing);
  if (help.guard) add_guard(add, fit.guard, help.guard);
}

void take_ridges(CLI::App& command, ModelCommand& model) {
  for (const char* name : {"--method", "--passes", "--batch", "--tolerance", "--max-passes", "--ridge",
                           "--relative-ridge", "--permutations", "--bootstrap", "--truth", "--show",
                           "--resume", "--checkpoint-every", "--image", "--held-out"})
    if (auto* option = command.get_option_no_throw(name)) command.remove_option(option);
  command.get_option("--components")->description("the most components to try");
  if (!model.help().ridge_grid) return;
  if (command.get_option_no_throw("--folds") == nullptr)
    OptionAdder{&command}("--folds", model.options.fit.folds, "K", "folds [5]")->check(whole_number(2));
  OptionAdder{&command}("--ridges", model.ridges, "G,...",
                        "ridges to choose from, as multiples of the variance of each column")
      ->delimiter(',')
      ->check(number_from(0));
}

}  // namespace landfall::app
