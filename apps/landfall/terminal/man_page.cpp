#include "terminal/man_page.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::app {
namespace {

/// What stands for itself: no commands of roff, dashes that can be copied.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
      result += std::string("\\&") + c;
    else
      result += c;
  }
  return result;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_text(const OptionEntry& option) {
  std::vector<std::string> names;
  for (const auto& name : option.names) names.push_back(bold(name));
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.argument.empty()) text += fmt::format(" \\fI{}\\fR", plain(option.argument));
  std::string words = option.text;
  std::replace(words.begin(), words.end(), '\n', ' ');
  return text + "\n" + plain(words) + "\n";
}

/// The lines of a footer that are indented are what one types.
std::string footer_text(const std::string& footer) {
  std::string text;
  bool typed = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != typed) text += indented ? ".PP\n.nf\n.RS\n" : ".RE\n.fi\n.PP\n";
    typed = indented;
    text += plain(indented ? line.substr(2) : line) + "\n";
  }
  return typed ? text + ".RE\n.fi\n" : text;
}

std::string synopsis(const CommandEntry& command) {
  std::string text = bold(command.path) + " [\\fIOPTIONS\\fR]";
  for (const auto& positional : command.positionals)
    text += fmt::format(" \\fI{}\\fR", plain(positional.names[0]));
  if (!command.commands.empty()) text += " \\fICOMMAND\\fR ...";
  return text + "\n";
}

std::string section(const CommandEntry& command) {
  std::string text =
      fmt::format(".SS {}\n{}.\n.PP\n{}", bold(command.path), plain(command.text), synopsis(command));
  for (const auto& positional : command.positionals) text += option_text(positional);
  for (const auto& option : command.options) text += option_text(option);
  if (!command.footer.empty()) text += ".PP\n" + footer_text(command.footer);
  for (const auto& below : command.commands) text += section(below);
  return text;
}

}  // namespace

std::string man_page(const CommandEntry& program, std::string_view version) {
  std::string summary = program.text;
  std::replace(summary.begin(), summary.end(), '\n', ' ');
  if (summary.ends_with('.')) summary.pop_back();
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", upper(program.name),
      program.name, version, program.name, plain(summary), synopsis(program));
  text += ".SH OPTIONS\n";
  for (const auto& option : program.options) text += option_text(option);
  text += ".SH COMMANDS\n";
  for (const auto& command : program.commands) text += section(command);
  if (!program.footer.empty()) text += ".SH EXAMPLES\n" + footer_text(program.footer);
  return text;
}

}  // namespace landfall::app
