#include <landfall/baselines/registry.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace landfall {

// method_list.inc has a line METHODS(name_methods) for each methods/name.cpp; CMake writes it.
#define METHODS(function) std::vector<Baseline> function();
#include <method_list.inc>
#undef METHODS

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::read:
      return "read";
    case Origin::reconstructed:
      return "reconstructed";
    case Origin::own:
      return "extension";
  }
  return "unknown";
}

bool Baseline::solves(Problem problem) const {
  switch (problem) {
    case Problem::cca:
      return stream || views || pencil || stiefel;
    case Problem::gevp:
      return pencil || stiefel;
    case Problem::ica:
      return sources || mixtures;
  }
  return false;
}

std::span<const Baseline> baselines() {
  static const std::vector<Baseline> all = [] {
    std::vector<Baseline> list;
#define METHODS(function) \
  for (const Baseline& one : function()) list.push_back(one);
#include <method_list.inc>
#undef METHODS
    return list;
  }();
  return all;
}

const Baseline* find_baseline_or_null(std::string_view name) {
  const auto found = std::ranges::find(baselines(), name, &Baseline::name);
  return found == baselines().end() ? nullptr : &*found;
}

const Baseline& find_baseline(std::string_view name) {
  if (const Baseline* found = find_baseline_or_null(name)) return *found;
  throw UsageError(fmt::format("unknown method '{}'; landfall methods lists all methods", name));
}

const Baseline& find_baseline(std::string_view name, Problem problem) {
  const Baseline& found = find_baseline(name);
  if (found.solves(problem)) return found;
  std::string others;
  for (const Baseline& one : baselines())
    if (one.solves(problem)) others += fmt::format("{}{}", others.empty() ? "" : ", ", one.name);
  constexpr std::array names{"CCA", "generalized eigenproblems", "ICA"};
  throw UsageError(fmt::format("{} is not a method for {}; expected one of {}", name,
                               names[static_cast<std::size_t>(problem)], others));
}

template <class S>
Result<S> solve_baseline(const Baseline& baseline, const Pencil<S>& pencil,
                         const BaselineOptions<S>& options) {
  if (baseline.pencil) return baseline.pencil.get<S>()(pencil, options);
  if (!baseline.stiefel) find_baseline(baseline.name, Problem::gevp);  // says what it is not for
  const StiefelProblem<S> problem{.f =
                                      [&](const Matrix<S>& x, Matrix<S>* gradient) {
                                        Matrix<S> product(x.rows(), x.cols());
                                        pencil.a->apply(x, product);
                                        const S value = -x.cwiseProduct(product).sum() / 2;
                                        if (gradient) *gradient = -product;
                                        return value;
                                      },
                                  .b = pencil.b};
  return baseline.stiefel.get<S>()(problem, options);
}

template <class S>
Result<S> solve_baseline(const Baseline& baseline, std::shared_ptr<const ViewProducts<S>> views,
                         const BaselineOptions<S>& options) {
  if (baseline.views) return baseline.views.get<S>()(*views, options);
  Result<S> result = solve_baseline<S>(baseline, view_pencil<S>(views), options);
  const Matrix<S> both = std::move(result.x.at(0));
  result.x = {both.topRows(views->features()[0]), both.bottomRows(views->features()[1])};
  return result;
}

LANDFALL_REGISTRY(, float)
LANDFALL_REGISTRY(, double)

}  // namespace landfall
