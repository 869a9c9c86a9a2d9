// LazyCCA (Allen-Zhu and Li 2017): one pair at a time by shift-and-invert, those found before deflated. With
// P the B-orthogonal projection off the pairs found, in each view, and A_s = P'AP, for w = [x; y]:
//
//   w <- (lambda B - A_s)^-1 B w, normalised in the metric of B, several times;
//   lambda <- lambda - Delta/2 with Delta = 1 / (2 w'B (lambda B - A_s)^-1 B w), until Delta is small
//
// lambda starts above 1, which no correlation exceeds. Reconstructed from the structure of the paper; solves
// are by conjugate gradients, where the paper has accelerated SVRG. The residual of a run is that of the
// vectors found so far.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/baselines/power_methods.hpp>
#include <landfall/linalg/conjugate_gradients.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {
namespace {

constexpr double kGap = 0.02;     // delta: how near to the eigenvalue the shift gets
constexpr int kPowers = 4;        // between two looks at the shift
constexpr int kLastPowers = 200;  // at the final shift, at most
constexpr int kSolve = 400;       // steps of conjugate gradients

template <class S>
class LazyCca {
 public:
  LazyCca(const ViewProducts<S>& views, const BaselineOptions<S>& options)
      : features_(views.features()),
        pencil_(view_pencil<S>(std::shared_ptr<const ViewProducts<S>>(std::shared_ptr<void>(), &views))),
        run_(*pencil_.b, options),
        options_(options),
        found_{Matrix<S>(features_[0], 0), Matrix<S>(features_[1], 0)},
        image_(found_) {}

  Result<S> solve() {
    for (Index s = 0; s < options_.components; ++s)
      if (!find_next(s)) break;
    return run_.finish(found_);
  }

 private:
  Index n() const { return features_[0] + features_[1]; }

  /// w - U U'B w in each view, and its transpose w - B U U'w.
  Matrix<S> project(const Matrix<S>& w, bool transposed) const {
    Point<S> blocks{w.topRows(features_[0]), w.bottomRows(features_[1])};
    for (std::size_t i = 0; i < 2; ++i) {
      const Matrix<S>&to = transposed ? image_[i] : found_[i], &from = transposed ? found_[i] : image_[i];
      blocks[i] -= to * (from.transpose() * blocks[i]);
    }
    return stacked(blocks);
  }

  /// (shift B - A_s) x.
  Matrix<S> shifted(const Matrix<S>& x, S shift) const {
    return shift * times<S>(*pencil_.b, x) - project(times<S>(*pencil_.a, project(x, false)), true);
  }

  /// (shift B - A_s)^-1 B w, from w / (shift - w'Aw).
  Matrix<S> inverted(const Matrix<S>& w, S shift) const {
    const CallbackOperator<S> op(n(), [&](In<S> x, Out<S> y) { y = shifted(x, shift); });
    Matrix<S> x = w / shift;
    conjugate_gradients<S>(op, times<S>(*pencil_.b, w), x,
                           {.steps = kSolve, .tolerance = 0.01 * run_.tolerance()});
    return x;
  }

  Matrix<S> normalised(const Matrix<S>& w) const {
    const Matrix<S> inside = project(w, false);
    return inside / std::sqrt(inside.cwiseProduct(times<S>(*pencil_.b, inside)).sum());
  }

  bool find_next(Index s) {
    Matrix<S> w = normalised(gaussian<S>(n(), 1, {options_.seed, 0x1a27 + static_cast<std::uint64_t>(s)}));
    S shift = S(1 + kGap);
    for (int look = 0; look < 50; ++look) {
      for (int k = 0; k < kPowers; ++k) w = normalised(inverted(w, shift));
      const S gain = times<S>(*pencil_.b, w).cwiseProduct(inverted(w, shift)).sum();
      const S delta = S(0.5) / gain;
      if (!(delta > S(kGap / 2) * shift)) break;
      shift -= delta / 2;
    }
    const bool last = s + 1 == options_.components;
    for (int k = 0; k < kLastPowers; ++k) {
      w = normalised(inverted(w, shift));
      const double now = residual(w);
      const bool found = now <= run_.tolerance();
      const bool more = run_.goes_on(last ? now : std::max(now, 2 * run_.tolerance()), 0, 0, 0, {});
      if (found) break;
      if (!more) return false;
    }
    append(w);
    return true;
  }

  double residual(const Matrix<S>& w) const {
    const Matrix<S> aw = project(times<S>(*pencil_.a, w), true), bw = times<S>(*pencil_.b, w);
    return static_cast<double>((aw - w.cwiseProduct(aw).sum() * bw).norm() / aw.norm());
  }

  /// The halves, each normalised in its view.
  void append(const Matrix<S>& w) {
    const Matrix<S> bw = times<S>(*pencil_.b, w);
    Index row = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto half = w.middleRows(row, features_[i]), image = bw.middleRows(row, features_[i]);
      const S length = std::sqrt(half.cwiseProduct(image).sum());
      for (const auto& [block, column] : {std::pair{&found_[i], half}, {&image_[i], image}}) {
        block->conservativeResize(Eigen::NoChange, block->cols() + 1);
        block->rightCols(1) = column / length;
      }
      row += features_[i];
    }
  }

  std::array<Index, 2> features_;
  Pencil<S> pencil_;
  PencilRun<S> run_;
  const BaselineOptions<S>& options_;
  Point<S> found_, image_;  // U and B U of each view
};

template <class S>
Result<S> solve_lazy_cca(const ViewProducts<S>& views, const BaselineOptions<S>& options) {
  return LazyCca<S>(views, options).solve();
}

}  // namespace

std::vector<Baseline> lazy_cca_methods() {
  return {{.name = "lazy-cca",
           .text = "one pair after the other by shift-and-invert and deflation",
           .source = "Allen-Zhu and Li 2017",
           .origin = Origin::reconstructed,
           .memory = "2 n p",
           .views = {solve_lazy_cca<float>, solve_lazy_cca<double>}}};
}

}  // namespace landfall
