#include <landfall/errors.hpp>
#include <landfall/models/contrast.hpp>
#include <landfall/models/vector_exp.hpp>

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

// Numbers at a time: what is written in between stays in the first cache, and sums in single precision are
// short.
constexpr Index kChunk = 256;

template <class S>
using Chunk = Eigen::Array<S, Eigen::Dynamic, 1, 0, kChunk, 1>;
template <class S>
using ChunkIn = Eigen::Map<const Eigen::Array<S, Eigen::Dynamic, 1>>;
template <class S>
using ChunkOut = Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>>;

template <class S>
Chunk<S> exp_of(const Chunk<S>& negative) {
  Chunk<S> e(negative.size());
  exp_negative(negative.data(), e.data(), e.size());
  return e;
}

/// With e = exp(-2|u|): tanh|u| = (1 - e)/(1 + e) and log cosh u = |u| + log(1 + e) - log 2, which cannot
/// overflow. Each 1 + e is in (1, 2], so one logarithm serves a product of 64 of them.
template <class S>
ContrastSums logcosh(const ChunkIn<S>& u, S weight, ChunkOut<S> slope) {
  const Index n = u.size();
  const Chunk<S> e = exp_of<S>(S(-2) * u.abs());
  const Chunk<S> size = (S(1) - e) / (S(1) + e);
  const Chunk<S> t = u.max(-size).min(size);  // tanh u, since |tanh u| <= |u|
  ContrastSums sums;
  sums.value = static_cast<double>(u.abs().sum()) - static_cast<double>(n) * std::numbers::ln2;
  constexpr Index run = 64;
  for (Index i = 0; i < n; i += run)
    sums.value += std::log(static_cast<double>((S(1) + e.segment(i, std::min(run, n - i))).prod()));
  sums.curvature = static_cast<double>(n) - static_cast<double>(t.square().sum());
  slope = weight * t;
  return sums;
}

template <class S>
ContrastSums exponential(const ChunkIn<S>& u, S weight, ChunkOut<S> slope) {
  const Chunk<S> square = u.square();
  const Chunk<S> e = exp_of<S>(S(-0.5) * square);
  slope = weight * u * e;
  return {-static_cast<double>(e.sum()), static_cast<double>(((S(1) - square) * e).sum())};
}

template <class S>
ContrastSums cube(const ChunkIn<S>& u, S weight, ChunkOut<S> slope) {
  const Chunk<S> square = u.square();
  slope = weight * square * u;
  return {static_cast<double>(square.square().sum()) / 4, 3 * static_cast<double>(square.sum())};
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

double super_gaussian_sign(Contrast contrast) {
  return contrast == Contrast::cube ? -1 : 1;
}

template <class S>
ContrastSums apply_contrast(Contrast contrast, const Eigen::Ref<const Vector<S>>& u, S weight,
                            Eigen::Ref<Vector<S>> slope) {
  ContrastSums sums;
  for (Index first = 0; first < u.size(); first += kChunk) {
    const Index count = std::min(kChunk, u.size() - first);
    const ChunkIn<S> in(u.data() + first, count);
    const ChunkOut<S> out(slope.data() + first, count);
    const ContrastSums part = contrast == Contrast::logcosh ? logcosh<S>(in, weight, out)
                              : contrast == Contrast::exp   ? exponential<S>(in, weight, out)
                                                            : cube<S>(in, weight, out);
    sums.value += part.value;
    sums.curvature += part.curvature;
  }
  return sums;
}

template <class S>
Link<S> contrast_link(Contrast contrast, std::shared_ptr<const Vector<S>> weights) {
  if (!weights) throw UsageError("a contrast needs weights");
  const auto apply = [contrast, weights = std::move(weights)](const std::vector<Scratch<S>>& alpha,
                                                              std::vector<Scratch<S>>& b) {
    const auto& a = alpha[0].view();
    auto& out = b[0].view();
    double sum = 0;
    for (Index j = 0; j < a.cols(); ++j) {
      const S w = (*weights)(j);
      sum += static_cast<double>(w) * apply_contrast<S>(contrast, a.col(j), w, out.col(j)).value;
    }
    return sum / static_cast<double>(a.rows());
  };
  return {apply, {}};
}

LANDFALL_CONTRAST(, float)
LANDFALL_CONTRAST(, double)

}  // namespace landfall
