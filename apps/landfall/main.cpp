// landfall: the command-line tool. Results go to standard output, everything else to standard error.
// Exit codes: 0 done, 2 wrong use, 3 bad input data, 4 the numbers failed.
#include <landfall/errors.hpp>
#include <landfall/version.hpp>

#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "commands.hpp"

namespace {

int fail(int code, std::string_view message) {
  fmt::print(stderr, "landfall: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("CCA, ICA, LDA and generalized eigenproblems by stochastic landing, without forming covariances.", "landfall");
  program.set_version_flag("--version", std::string("landfall ") + std::string(landfall::version()));
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  landfall::app::setup_gevp(program);
  landfall::app::setup_data(program);

  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    line = line.substr(0, line.find('\n'));
    return fail(2, line + " (see landfall --help)");
  } catch (const landfall::UsageError& error) {
    return fail(2, error.what());
  } catch (const landfall::DataError& error) {
    return fail(3, error.what());
  } catch (const landfall::NumericalError& error) {
    return fail(4, error.what());
  } catch (const std::bad_alloc&) {
    return fail(4, "not enough memory");
  } catch (const std::exception& error) {
    return fail(4, error.what());
  }
}
