#include <landfall/data/rows/source.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall {

template <class S>
void Source<S>::read_rows(std::span<const Index>, Batch<S>&) {
  throw UsageError(fmt::format("{}: rows of a {} file can only be read in order", name(), format()));
}

template <class S>
const std::vector<std::string>& Source<S>::column_names() const {
  static const std::vector<std::string> none;
  return none;
}

template class Source<float>;
template class Source<double>;

}  // namespace landfall
