// landfall reproduce: the paper's figures and tables, run again.
#include <landfall/errors.hpp>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "reproduce/figures.hpp"
#include "reproduce/stopwatch.hpp"
#include "terminal/arguments.hpp"
#include "terminal/screen.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::string name, out = "reproduction", data;
  ReproduceSettings settings;
};

bool has_views(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "left.npy", ignored) && fs::exists(folder / "right.npy", ignored);
}

/// Nothing where there is none: then figures that need it are left out, unless they are quick.
fs::path find_data(const ReproduceArguments& options) {
  if (options.data.empty()) return has_views("mnist") ? fs::path("mnist") : fs::path();
  if (!has_views(options.data))
    throw DataError(fmt::format("{}: no left.npy and right.npy in it; landfall data split-mnist writes them",
                                options.data));
  return options.data;
}

std::vector<Figure> chosen(const std::string& name) {
  std::vector<Figure> list(figures().begin(), figures().end());
  if (name == "all") return list;
  std::erase_if(list, [&](const Figure& figure) { return figure.name != name; });
  return list;
}

void print_table(const std::vector<Page>& pages) {
  for (const Page& page : pages)
    for (const Claim& claim : page.claims)
      fmt::print("{:<24} {:<8} {}\n{:>34}{}\n", page.name, claim.verdict(), claim.claim, "", claim.measured);
}

void run(const ReproduceArguments& options) {
  ReproduceSettings settings = options.settings;
  settings.data = find_data(options);
  const auto list = chosen(options.name);
  const bool missing = settings.data.empty() && !settings.quick;
  std::vector<Page> pages;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Figure& figure = list[i];
    if (figure.needs_mnist && missing) {
      const std::string sentence = fmt::format(
          "{} needs split MNIST: run landfall data split-mnist mnist, or give its folder with --data",
          figure.name);
      if (list.size() == 1) throw DataError(sentence);
      tell("[{}/{}] {}, left out: {}\n", i + 1, list.size(), figure.name, sentence);
      continue;
    }
    const Stopwatch watch;
    tell("[{}/{}] {} ... ", i + 1, list.size(), figure.name);
    std::fflush(stderr);
    Page page{.name = figure.name, .title = figure.title};
    figure.run(settings, page);
    write_page(options.out, page);
    tell("{:.1f} s, {}\n", watch.seconds(), (fs::path(options.out) / (figure.name + ".html")).string());
    pages.push_back(std::move(page));
  }
  print_table(pages);
}

}  // namespace

void setup_reproduce(CLI::App& program) {
  auto options = std::make_shared<ReproduceArguments>();
  auto* command = program.add_subcommand("reproduce", "Reproduce the paper's figures and tables");
  const OptionAdder add{command};
  std::vector<std::string> names;
  for (const Figure& figure : figures()) names.push_back(figure.name);
  names.emplace_back("all");
  add("NAME", options->name, "NAME", fmt::format("{}", fmt::join(names, "\n")))
      ->required()
      ->check(one_of(names));
  command->add_flag("--quick", options->settings.quick, "small sizes; everything takes about a minute");
  add("--out", options->out, "FOLDER", "folder for NAME.html and csv files [reproduction]");
  add("--data", options->data, "FOLDER", "folder written by landfall data split-mnist [mnist]");
  add("--seed", options->settings.seed, "N", "seed of all random numbers [0]")->check(whole_number(0));
  command->footer(
      "Examples:\n"
      "  landfall reproduce all --quick\n"
      "  landfall data split-mnist mnist\n"
      "  landfall reproduce fig-gevp --out figures");
  command->callback([options] { run(*options); });
}

}  // namespace landfall::app
