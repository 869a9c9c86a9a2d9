#include "terminal/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "terminal/command_table.hpp"
#include "terminal/nearest.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Begins the name of a validator that knows what there is to choose from.
const std::string kChoices = "one of ";

/// Accepts the texts that `fits`; of the others says that they are not `what`.
CLI::Validator accept(std::function<bool(const std::string&)> fits, std::string what) {
  return CLI::Validator(
      [fits = std::move(fits), what = std::move(what)](std::string& text) {
        return fits(text) ? std::string() : fmt::format("'{}' is not {}", text, what);
      },
      "");
}

}  // namespace

CLI::Validator whole_number(std::int64_t least) {
  return accept(
      [least](const std::string& text) {
        const auto value = number<std::int64_t>(text);
        return value && *value >= least;
      },
      fmt::format("a whole number of at least {}", least));
}

CLI::Validator number_from(double least) {
  return accept(
      [least](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value >= least && std::isfinite(*value);
      },
      fmt::format("a number of at least {}", least));
}

CLI::Validator positive_number() {
  return accept(
      [](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value > 0 && std::isfinite(*value);
      },
      "a positive number");
}

CLI::Validator not_empty(const std::string& what) {
  return accept([](const std::string& text) { return !text.empty(); }, what);
}

CLI::Validator memory_size() {
  return CLI::Validator(
      [](std::string& text) {
        static const std::vector<std::pair<std::string, double>> units = {
            {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
            {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
        for (const auto& [unit, bytes] : units) {
          if (!text.ends_with(unit)) continue;
          const auto value = number<double>(text.substr(0, text.size() - unit.size()));
          if (!value || !(*value > 0) || !(*value * bytes < 0x1p62)) break;
          text = fmt::format("{:.0f}", *value * bytes);
          return std::string();
        }
        return fmt::format("'{}' is not a memory size such as 512MiB or 2GiB", text);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> names) {
  const std::string title = kChoices + fmt::format("{}", fmt::join(names, "|"));
  return CLI::Validator(
             [names = std::move(names)](std::string& text) {
               if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
               return fmt::format("'{}' is not {}{}", text, alternatives(names), suggestion(text, names));
             },
             "")
      .name(title);
}

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string& title = option.get_validator(i)->get_name();
      if (title.starts_with(kChoices)) return CLI::detail::split(title.substr(kChoices.size()), '|');
    }
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

template <class T>
CLI::Option* OptionAdder::operator()(const char* name, T& value, const char* shown,
                                     const std::string& text) const {
  return command->add_option(name, value, text)->option_text(shown);
}

#define LANDFALL_OPTION(T) \
  template CLI::Option* OptionAdder::operator()<T>(const char*, T&, const char*, const std::string&) const;
LANDFALL_OPTION(double)
LANDFALL_OPTION(int)
LANDFALL_OPTION(std::int64_t)
LANDFALL_OPTION(std::uint64_t)
LANDFALL_OPTION(std::string)
LANDFALL_OPTION(std::optional<double>)
LANDFALL_OPTION(std::optional<int>)
LANDFALL_OPTION(std::optional<std::int64_t>)
LANDFALL_OPTION(std::vector<double>)
LANDFALL_OPTION(std::vector<std::string>)
#undef LANDFALL_OPTION

CLI::Option* OptionAdder::choice(const char* name, std::vector<std::string> names,
                                 const std::function<void(const std::string&)>& use,
                                 const std::string& text) const {
  return command->add_option_function<std::string>(name, use, text)
      ->option_text("NAME")
      ->check(one_of(std::move(names)));
}

std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string explain(CLI::App& program, const CLI::ParseError& error) {
  CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::string path = command->get_name();
  for (const CLI::App* above = command->get_parent(); above != nullptr; above = above->get_parent())
    path = above->get_name() + " " + path;
  const CommandEntry table = command_table(*command);
  const auto expected = table.command_names();
  const auto unknown = program.remaining(true);

  std::string sentence = error.what();
  sentence = sentence.substr(0, sentence.find('\n'));
  if (!unknown.empty() && unknown.front().starts_with("-")) {
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    sentence = fmt::format("unknown option '{}'{}", name, suggestion(name, table.option_names()));
  } else if (!unknown.empty() && !expected.empty()) {
    const std::string meant = suggestion(unknown.front(), expected);
    sentence = fmt::format("unknown command '{}'{}", unknown.front(),
                           meant.empty() ? "; expected " + alternatives(expected) : meant);
  } else if (!unknown.empty()) {
    sentence = fmt::format("unexpected argument '{}'", unknown.front());
  } else if (!expected.empty()) {
    sentence = fmt::format("{} needs a command: {}", path, alternatives(expected));
  }
  return fmt::format("{} (see {} --help)", sentence, path);
}

}  // namespace landfall::app
