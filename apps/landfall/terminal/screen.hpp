// What a standard stream is connected to, and how text on it may look.
//
//   const Screen screen = standard_error();
//   screen.write(screen.painted("landfall:", Paint::error) + " no such file\n");
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace landfall::app {

enum class Paint { strong, good, error };

/// All that progress depends on; tests bring their own.
struct Screen {
  bool terminal = false;
  bool colour = false;
  std::function<int()> width = [] { return 80; };    // columns of the terminal, which may change
  std::function<double()> now = [] { return 0.0; };  // seconds
  std::function<void(std::string_view)> write = [](std::string_view) {};

  /// The text in colour where there is colour.
  std::string painted(std::string_view text, Paint paint) const;
};

/// Colour on a terminal only, not with NO_COLOR (https://no-color.org) nor on one that says it is dumb.
Screen standard_error();
Screen standard_output();

/// A line on standard error. One that cannot be written is left out: it is no reason to lose a result.
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
  std::fputs(fmt::format(text, std::forward<Values>(values)...).c_str(), stderr);
}

}  // namespace landfall::app
