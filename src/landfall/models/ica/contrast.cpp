#include <landfall/errors.hpp>
#include <landfall/models/ica/contrast.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<Contrast, std::string_view>, 3> kContrasts{
    {{Contrast::logcosh, "logcosh"}, {Contrast::exp, "exp"}, {Contrast::cube, "cube"}}};

template <class S>
ContrastSums cube(const Eigen::Ref<const Vector<S>>& u, S weight, Eigen::Ref<Vector<S>> slope) {
  constexpr Index chunk = 256;  // sums in single precision are short
  ContrastSums sums;
  for (Index first = 0; first < u.size(); first += chunk) {
    const Index count = std::min(chunk, u.size() - first);
    const auto part = u.segment(first, count).array();
    const auto square = part.square();
    slope.segment(first, count) = (weight * square * part).matrix();
    sums.value += static_cast<double>(square.square().sum()) / 4;
    sums.curvature += 3 * static_cast<double>(square.sum());
  }
  return sums;
}

}  // namespace

std::string_view to_string(Contrast contrast) {
  for (const auto& [value, name] : kContrasts)
    if (value == contrast) return name;
  return "unknown";
}

Contrast parse_contrast(std::string_view name) {
  for (const auto& [value, known] : kContrasts)
    if (known == name) return value;
  throw UsageError(fmt::format("unknown contrast '{}'; expected logcosh, exp or cube", name));
}

double gaussian_value(Contrast contrast) {
  switch (contrast) {
    case Contrast::logcosh:
      return 0.3745672075;
    case Contrast::exp:
      return -1 / std::numbers::sqrt2;
    case Contrast::cube:
      return 0.75;
  }
  return 0;
}

double gaussian_deviation(Contrast contrast) {
  switch (contrast) {
    case Contrast::logcosh:
      return 0.0795478912;
    case Contrast::exp:
      return 0.1218616806;
    case Contrast::cube:
      return 1.2247448714;  // of the fourth Hermite polynomial over 4
  }
  return 1;
}

double super_gaussian_sign(Contrast contrast) {
  return contrast == Contrast::cube ? -1 : 1;
}

template <class S>
ContrastSums apply_contrast(Contrast contrast, const Eigen::Ref<const Vector<S>>& u, S weight,
                            Eigen::Ref<Vector<S>> slope) {
  switch (contrast) {
    case Contrast::logcosh:
      return logcosh_loop(u.data(), u.size(), weight, slope.data());
    case Contrast::exp:
      return exponential_loop(u.data(), u.size(), weight, slope.data());
    case Contrast::cube:
      return cube<S>(u, weight, slope);
  }
  return {};
}

template <class S>
ContrastSums apply_contrast(Contrast contrast, const Eigen::Ref<const Vector<S>>& u, std::span<const S> roots,
                            S weight, Eigen::Ref<Vector<S>> slope) {
  if (roots.empty()) return apply_contrast<S>(contrast, u, weight, slope);
  ContrastSums all;
  Vector<S> one(1);
  for (Index i = 0; i < u.size(); ++i) {
    const S root = roots[static_cast<std::size_t>(i)];
    one(0) = u(i) / root;
    const ContrastSums sums = apply_contrast<S>(contrast, one, weight * root, slope.segment(i, 1));
    const double square = static_cast<double>(root) * static_cast<double>(root);
    all.value += square * sums.value;
    all.curvature += square * sums.curvature;
  }
  return all;
}

template <class S>
ScoreObjective<S> contrast_objective(Contrast contrast, std::shared_ptr<const Vector<S>> weights) {
  if (!weights) throw UsageError("a contrast needs weights");
  const auto apply = [contrast, weights = std::move(weights)](const std::vector<Scratch<S>>& alpha,
                                                              std::vector<Scratch<S>>& b,
                                                              std::span<const S> roots) {
    const auto& a = alpha[0].view();
    auto& out = b[0].view();
    double sum = 0;
    for (Index j = 0; j < a.cols(); ++j) {
      const S w = (*weights)(j);
      sum += static_cast<double>(w) * apply_contrast<S>(contrast, a.col(j), roots, w, out.col(j)).value;
    }
    return sum / static_cast<double>(a.rows());
  };
  return {.apply = [apply](const std::vector<Scratch<S>>& alpha,
                           std::vector<Scratch<S>>& b) { return apply(alpha, b, {}); },
          .apply_weighted = apply};
}

LANDFALL_CONTRAST(, float)
LANDFALL_CONTRAST(, double)

}  // namespace landfall
