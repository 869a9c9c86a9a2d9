// A command line, one word a line: it is understood, or explained by one sentence. No command runs.
#include <algorithm>

#include "commands/commands.hpp"
#include "read_input.hpp"
#include "terminal/arguments.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace landfall;
  static CLI::App& program = []() -> CLI::App& {
    static CLI::App all;
    app::setup_program(all);
    all.parse_complete_callback([] { throw CLI::Success(); });  // before the command would run
    return all;
  }();
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else if (data[i] != 0)  // which no argument has
      words.back() += static_cast<char>(data[i]);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  fuzz::read_or_refuse([&] {
    try {
      program.parse(words);
    } catch (const CLI::Success&) {
    } catch (const CLI::ParseError& error) {
      const std::string sentence = app::explain(program, error);
      fuzz::require(!sentence.empty() && sentence.find("(see landfall") != std::string::npos);
    }
  });
  return 0;
}
