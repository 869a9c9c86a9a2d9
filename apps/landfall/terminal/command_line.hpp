// The arguments that the program was started with, for the record of a run.
//
//   set_command_line(argc, argv);                       // once, in main()
//   summary["command"] = command_line();                // landfall, cca, left.npy, ...
//   shell_text({"landfall", "my file.npy"});            // landfall 'my file.npy'
#pragma once

#include <string>
#include <vector>

namespace landfall::app {

void set_command_line(int count, const char* const* arguments);
/// The program is "landfall", wherever it is.
const std::vector<std::string>& command_line();

/// As a shell takes it, arguments in quotes where they need some.
std::string shell_text(const std::vector<std::string>& arguments);

}  // namespace landfall::app
