#include "terminal/help_page.hpp"

#include <sstream>

namespace landfall::app {
namespace {

constexpr std::size_t kColumns = 80, kNames = 26;  // of the page, of the names on its left

class HelpPage final : public CLI::Formatter {
 public:
  HelpPage() {
    column_width(kNames);
    label("SUBCOMMAND", "COMMAND ...");
  }

  /// One empty line between groups of options, where CLI11 has two.
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }

  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    const bool more = group == kByHand || group == kTables || group == kRanks || group == kRare;
    if (more && !all_) return "";
    return CLI::Formatter::make_group(std::move(group), positional, std::move(options));
  }

  std::string make_subcommands(const CLI::App* command, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_subcommands(command, mode);
    if (text.starts_with("\nSubcommands:")) text.replace(1, 4, "C");  // Commands
    return text;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kColumns - kNames);
  }

 private:
  mutable bool all_ = false;  // which make_group() is not told
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_page() {
  return std::make_shared<HelpPage>();
}

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::size_t used = 0;
    if (!result.empty()) result += '\n';
    for (std::string word; words >> word; used += word.size()) {
      if (used > 0) {
        const bool fits = used + 1 + word.size() <= columns;
        result += fits ? ' ' : '\n';
        used = fits ? used + 1 : 0;
      }
      result += word;
    }
  }
  return result;
}

}  // namespace landfall::app
