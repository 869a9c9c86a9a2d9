// The version of the library that is linked.
//
//   fmt::print("landfall {}\n", landfall::version());
#pragma once

#include <string_view>

namespace landfall {

std::string_view version();

}  // namespace landfall
