#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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
        return fmt::format("'{}' is not an amount of memory such as 512MiB or 2GiB", text);
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> names) {
  const std::string what = alternatives(names);
  return accept(
      [names = std::move(names)](const std::string& text) {
        return std::find(names.begin(), names.end(), text) != names.end();
      },
      what);
}

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

std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = &program;
  std::string page = program.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    page += " " + command->get_name();
  }
  std::vector<std::string> expected;
  for (const CLI::App* one : command->get_subcommands(nullptr)) expected.push_back(one->get_name());
  const auto unknown = program.remaining(true);

  std::string sentence = error.what();
  sentence = sentence.substr(0, sentence.find('\n'));
  if (!unknown.empty() && unknown.front().starts_with("-"))
    sentence = fmt::format("unknown option '{}'", unknown.front());
  else if (!unknown.empty() && !expected.empty())
    sentence = fmt::format("unknown command '{}'; expected {}", unknown.front(), alternatives(expected));
  else if (!unknown.empty())
    sentence = fmt::format("unexpected argument '{}'", unknown.front());
  else if (!expected.empty())
    sentence = fmt::format("{} needs a command: {}", page, alternatives(expected));
  return fmt::format("{} (see {} --help)", sentence, page);
}

}  // namespace landfall::app
