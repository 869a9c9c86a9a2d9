#include <landfall/errors.hpp>
#include <landfall/rivals/registry.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

// One line per file: a function there gives its methods.
#define LANDFALL_RIVALS(METHODS) \
  METHODS(ey_methods)            \
  METHODS(gen_oja_methods)       \
  METHODS(sgha_methods)          \
  METHODS(eigengame_methods)     \
  METHODS(appgrad_methods)       \
  METHODS(msg_methods)           \
  METHODS(genelink_methods)      \
  METHODS(rgccalin_methods)      \
  METHODS(als_methods)           \
  METHODS(lazy_cca_methods)      \
  METHODS(lobpcg_methods)        \
  METHODS(lanczos_methods)       \
  METHODS(riemannian_methods)    \
  METHODS(rolling_methods)       \
  METHODS(plam_methods)          \
  METHODS(penalty_methods)       \
  METHODS(dissolving_methods)    \
  METHODS(pogo_methods)          \
  METHODS(landing_methods)       \
  METHODS(fastica_methods)       \
  METHODS(picard_methods)        \
  METHODS(infomax_methods)       \
  METHODS(mm_ica_methods)

namespace landfall {

#define LANDFALL_DECLARE(METHODS) std::vector<Rival> METHODS();
LANDFALL_RIVALS(LANDFALL_DECLARE)

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

bool Rival::solves(Problem problem) const {
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

std::span<const Rival> rivals() {
  static const std::vector<Rival> all = [] {
    std::vector<Rival> list;
#define LANDFALL_APPEND(METHODS) \
  for (const Rival& one : METHODS()) list.push_back(one);
    LANDFALL_RIVALS(LANDFALL_APPEND)
    return list;
  }();
  return all;
}

const Rival* find_rival_or_null(std::string_view name) {
  const auto found = std::ranges::find(rivals(), name, &Rival::name);
  return found == rivals().end() ? nullptr : &*found;
}

const Rival& find_rival(std::string_view name) {
  if (const Rival* found = find_rival_or_null(name)) return *found;
  throw UsageError(fmt::format("unknown method '{}'; landfall methods lists those there are", name));
}

const Rival& find_rival(std::string_view name, Problem problem) {
  const Rival& found = find_rival(name);
  if (found.solves(problem)) return found;
  std::string others;
  for (const Rival& one : rivals())
    if (one.solves(problem)) others += fmt::format("{}{}", others.empty() ? "" : ", ", one.name);
  constexpr std::array names{"CCA", "generalized eigenproblems", "ICA"};
  throw UsageError(fmt::format("{} is no method for {}; expected one of {}", name,
                               names[static_cast<std::size_t>(problem)], others));
}

template <class S>
Result<S> solve_rival(const Rival& rival, const Pencil<S>& pencil, const RivalOptions<S>& options) {
  if (rival.pencil) return rival.pencil.get<S>()(pencil, options);
  if (!rival.stiefel) find_rival(rival.name, Problem::gevp);  // says what it is not for
  const StiefelProblem<S> problem{.f =
                                      [&](const Matrix<S>& x, Matrix<S>* gradient) {
                                        Matrix<S> product(x.rows(), x.cols());
                                        pencil.a->apply(x, product);
                                        const S value = -x.cwiseProduct(product).sum() / 2;
                                        if (gradient) *gradient = -product;
                                        return value;
                                      },
                                  .b = pencil.b};
  return rival.stiefel.get<S>()(problem, options);
}

template <class S>
Result<S> solve_rival(const Rival& rival, std::shared_ptr<const ViewProducts<S>> views,
                      const RivalOptions<S>& options) {
  if (rival.views) return rival.views.get<S>()(*views, options);
  Result<S> result = solve_rival<S>(rival, view_pencil<S>(views), options);
  const Matrix<S> both = std::move(result.x.at(0));
  result.x = {both.topRows(views->features()[0]), both.bottomRows(views->features()[1])};
  return result;
}

LANDFALL_REGISTRY(, float)
LANDFALL_REGISTRY(, double)

}  // namespace landfall
