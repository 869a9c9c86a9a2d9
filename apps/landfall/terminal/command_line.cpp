#include "terminal/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace landfall::app {
namespace {

std::vector<std::string>& kept() {
  static std::vector<std::string> arguments{"landfall"};
  return arguments;
}

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
}

}  // namespace

void set_command_line(int count, const char* const* arguments) {
  kept() = {"landfall"};
  if (count > 1) kept().insert(kept().end(), arguments + 1, arguments + count);
}

const std::vector<std::string>& command_line() {
  return kept();
}

std::string shell_text(const std::vector<std::string>& arguments) {
  std::string text;
  for (const auto& argument : arguments) {
    if (!text.empty()) text += ' ';
    if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace landfall::app
