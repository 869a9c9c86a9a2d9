#include "terminal/screen.hpp"

#include <cstdio>
#include <cstdlib>

#include "terminal/stopwatch.hpp"
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace landfall::app {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

int width_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Screen screen_of(std::FILE* stream) {
  const int descriptor = fileno(stream);
  const bool terminal = isatty(descriptor) == 1;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  return {.terminal = terminal && !dumb,
          .colour = terminal && !dumb && !is_set("NO_COLOR"),
          .width = [descriptor] { return width_of(descriptor); },
          .now = [begin = Clock::now()] { return since(begin); },
          .write =
              [stream](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(),
                            stream);  // progress that cannot be shown is no error
                std::fflush(stream);
              }};
}

}  // namespace

std::string Screen::painted(std::string_view text, Paint paint) const {
  if (!colour) return std::string(text);
  const int code = paint == Paint::strong ? 1 : paint == Paint::good ? 32 : 31;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

Screen standard_error() {
  return screen_of(stderr);
}

Screen standard_output() {
  return screen_of(stdout);
}

}  // namespace landfall::app
