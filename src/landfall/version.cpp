#include <landfall/version.hpp>

namespace landfall {

std::string_view version() {
  return LANDFALL_VERSION;
}

}  // namespace landfall
