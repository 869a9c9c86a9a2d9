// landfall: the command-line tool. Results go to standard output, everything else to standard error.
// Exit codes: 0 done, 2 wrong use, 3 bad input data, 4 the numbers failed, 130 interrupted.
#include <landfall/errors.hpp>
#include <landfall/version.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "arguments.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "run_checkpoints.hpp"
#include <fmt/format.h>

namespace {

/// Ends the program past the handlers of exit(): HDF5's would add a line of its own after a damaged file.
[[noreturn]] void fail(int code, std::string_view message) {
  fmt::print(stderr, "landfall: {}\n", message);
  std::fflush(nullptr);
  std::_Exit(code);
}

/// One empty line between groups of options, where CLI11 has two.
class HelpPage : public CLI::Formatter {
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};

}  // namespace

int main(int argc, char** argv) {
  landfall::app::set_command_line(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a sentence, not a crash
  CLI::App program(
      "Canonical correlations, independent components, discriminants and generalized eigenproblems,\n"
      "by the landing method and by others.",
      "landfall");
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag("--version", fmt::format("landfall {}", landfall::version()),
                           "print the version and exit");
  program.require_subcommand(1);
  program.formatter(std::make_shared<HelpPage>());
  program.get_formatter()->column_width(28);
  program.get_formatter()->label("SUBCOMMAND", "COMMAND ...");
  program.footer(
      "Examples:\n"
      "  landfall cca left.npy right.npy -p 5 --out run\n"
      "  landfall transform run left.npy right.npy -o scores.npy\n"
      "  landfall data pencil out -n 500 --kind planted\n"
      "  landfall gevp out/A.npy out/B.npy -p 5 --known out/eigenvalues.npy\n"
      "landfall COMMAND --help tells more. Exit codes: 0 done, 2 wrong use, 3 bad input data,\n"
      "4 the numbers failed.");
  landfall::app::setup_cca(program, landfall::app::Action::run);
  landfall::app::setup_ica(program, landfall::app::Action::run);
  landfall::app::setup_lda(program, landfall::app::Action::run);
  landfall::app::setup_gevp(program, landfall::app::Action::run);
  landfall::app::setup_transform(program);
  landfall::app::setup_report(program);
  landfall::app::setup_plan(program);
  landfall::app::setup_data(program);
  landfall::app::setup_methods(program);
  for (CLI::App* command : program.get_subcommands(nullptr)) command->group("Commands");

  try {
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) fail(3, "standard output cannot be written");
    return 0;
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    fail(2, landfall::app::explain(program, error));
  } catch (const landfall::app::Interrupted& error) {
    fail(130, error.what());
  } catch (const landfall::UsageError& error) {
    fail(2, error.what());
  } catch (const landfall::DataError& error) {
    fail(3, error.what());
  } catch (const landfall::NumericalError& error) {
    fail(4, error.what());
  } catch (const std::bad_alloc&) {
    fail(4, "not enough memory");
  } catch (const std::exception& error) {
    fail(4, error.what());
  }
}
