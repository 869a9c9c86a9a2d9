#include <landfall/errors.hpp>
#include <landfall/manifold/objective.hpp>

#include <utility>

#include <fmt/format.h>

namespace landfall {

template <class S>
Objective<S> single_block(std::function<S(const Matrix<S>& x, Matrix<S>* gradient)> f) {
  if (!f) throw UsageError("the objective is an empty function");
  return [f = std::move(f)](const Point<S>& x, Point<S>* gradient) {
    if (x.size() != 1)
      throw UsageError(fmt::format("an objective of one block was given a point of {} blocks", x.size()));
    return f(x[0], gradient ? &(*gradient)[0] : nullptr);
  };
}

LANDFALL_OBJECTIVE(, float)
LANDFALL_OBJECTIVE(, double)

}  // namespace landfall
