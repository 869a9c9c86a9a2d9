// Picard-O (Ablin, Cardoso and Gramfort 2018): maximum likelihood among rotations, by L-BFGS preconditioned
// with an approximate Hessian. With y = W z, signs s_i = sign(E psi'(y_i) - E psi(y_i) y_i), psi = tanh, which
// tell super- from sub-Gaussian sources:
//
//   G = skew(diag(s) E psi(y) y'),   h_ij = (s_i c_i + s_j c_j)/2, c_i = E psi'(y_i) - E psi(y_i) y_i,
//   direction: L-BFGS (7 pairs) from -G_ij / max(h_ij, 0.01); where it is no descent, -G
//
// W <- R W with the rotation R = (I - D/2)^-1 (I + D/2), Cayley's, in place of the matrix exponential. Steps
// are halved until E sum s_i log cosh y_i decreases. A change of sign empties the memory.
#include <landfall/baselines/ica_run.hpp>
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/preconditioner.hpp>

#include <deque>

namespace landfall {
namespace {

constexpr std::size_t kPairs = 7;
constexpr double kLeastCurvature = 0.01;

template <class S>
class PicardO {
 public:
  PicardO(const WhitenedRows<S>& rows, const BaselineOptions<S>& options)
      : rows_(rows),
        identity_(rows.z.rows()),
        run_(identity_, options, false),
        w_(random_rotation<S>(rows.z.rows(), options.seed)) {}

  Result<S> solve() {
    evaluate(w_);
    while (run_.goes_on(static_cast<double>(gradient_.cwiseAbs().maxCoeff()), 0, static_cast<double>(value_),
                        1, Point<S>{w_})) {
      const Matrix<S> last = gradient_;
      Matrix<S> direction = two_loops();
      if (!(direction.cwiseProduct(gradient_).sum() < 0) || !line_search(direction)) {
        pairs_.clear();
        direction = -gradient_;
        if (!line_search(direction)) break;  // at rounding
      }
      if (update_signs())
        pairs_.clear();
      else
        remember(step_ * direction, gradient_ - last);
    }
    auto result = run_.finish(w_);
    if (result.termination == Termination::running) result.termination = Termination::no_progress;
    result.progress.passes = static_cast<double>(evaluations_);
    return result;
  }

 private:
  struct Pair {
    Matrix<S> s, y;
    S rho;
  };

  Vector<S> nonlinearity() const { return moments_.curvature - moments_.slopes.diagonal(); }

  void evaluate(const Matrix<S>& w) {
    moments_ = score_moments<S>(w, rows_);
    ++evaluations_;
    if (signs_.size() == 0) signs_ = nonlinearity().cwiseSign();
    set_gradient();
  }

  void set_gradient() {
    const Matrix<S> g = signs_.asDiagonal() * moments_.slopes;
    gradient_ = (g - g.transpose()) / 2;
    value_ = signs_.dot(moments_.value);
  }

  bool update_signs() {
    const Vector<S> now = nonlinearity().cwiseSign();
    if (now == signs_) return false;
    signs_ = now;
    set_gradient();
    return true;
  }

  Matrix<S> preconditioned(Matrix<S> g) const {
    const Vector<S> c = signs_.cwiseProduct(nonlinearity());
    for (Index j = 0; j < g.cols(); ++j)
      for (Index i = 0; i < g.rows(); ++i)
        g(i, j) /= std::max((c(i) + c(j)) / 2, static_cast<S>(kLeastCurvature));
    return g;
  }

  Matrix<S> two_loops() const {
    Matrix<S> q = gradient_;
    std::vector<S> alpha;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      alpha.push_back(pair->rho * pair->s.cwiseProduct(q).sum());
      q -= alpha.back() * pair->y;
    }
    q = preconditioned(std::move(q));
    for (const Pair& pair : pairs_) {
      q += (alpha.back() - pair.rho * pair.y.cwiseProduct(q).sum()) * pair.s;
      alpha.pop_back();
    }
    return -q;
  }

  /// Moves and returns true where a step of at least 2^-10 lowers the loss.
  bool line_search(const Matrix<S>& direction) {
    const S before = value_;
    const ScoreMoments<S> kept = moments_;
    const Matrix<S> identity = Matrix<S>::Identity(w_.rows(), w_.cols());
    step_ = 1;
    for (int k = 0; k <= 10; ++k, step_ /= 2) {
      const Matrix<S> half = step_ / 2 * direction;
      const Matrix<S> trial = solve_square<S>(identity - half, (identity + half) * w_);
      evaluate(trial);
      if (value_ < before) {
        w_ = trial;
        return true;
      }
    }
    moments_ = kept;
    set_gradient();
    return false;
  }

  void remember(Matrix<S> s, Matrix<S> y) {
    const S curvature = s.cwiseProduct(y).sum();
    if (!(curvature > 0)) return;
    pairs_.push_back({std::move(s), std::move(y), 1 / curvature});
    if (pairs_.size() > kPairs) pairs_.pop_front();
  }

  const WhitenedRows<S>& rows_;
  IdentityPreconditioner<S> identity_;
  PencilRun<S> run_;
  Matrix<S> w_, gradient_;
  ScoreMoments<S> moments_;
  Vector<S> signs_;
  S value_ = 0, step_ = 1;
  std::deque<Pair> pairs_;
  std::uint64_t evaluations_ = 0;
};

template <class S>
Result<S> solve_picard(const WhitenedRows<S>& rows, const BaselineOptions<S>& options) {
  return PicardO<S>(rows, options).solve();
}

}  // namespace

std::vector<Baseline> picard_methods() {
  return {{.name = "picard-o",
           .text = "preconditioned L-BFGS among rotations, log cosh",
           .source = "Ablin, Cardoso and Gramfort 2018",
           .memory = "N p",
           .sources = {solve_picard<float>, solve_picard<double>}}};
}

}  // namespace landfall
