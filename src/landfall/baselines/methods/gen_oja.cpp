// Gen-Oja (Bhatia et al. 2018): two time scales. W follows B^-1 A V by stochastic gradient steps on the linear
// system, V takes Oja's steps along W:
//
//   W <- W - alpha (B_t W - A_t V),   V <- (V + beta_t W) / ||.||
//
// alpha is constant, and the bias is proportional to it; beta_t goes down. Published for one component; the
// block version, with Q of the QR decomposition in place of the division, is an extension.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/preconditioner.hpp>
#include <landfall/manifold/retraction.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
class GenOja final : public PencilStepper<S> {
 public:
  GenOja(const StochasticCcaOptions& problem, bool own_step)
      : PencilStepper<S>(problem, "Gen-Oja", own_step) {}

 private:
  double begin() override {
    alpha_ = static_cast<S>(0.5 / this->pencil_.scale());
    w_ = this->x_;
    for (auto& block : w_) block.setZero();
    unstack<S>(orthonormal(stacked(this->x_)), this->x_);
    return 0.3;  // B^-1 A has no scale: its eigenvalues are correlations
  }

  void update(S beta) override {
    const auto rows = this->pencil_.all();
    this->pencil_.times_b(w_, rows, bw_);
    this->pencil_.times_a(this->x_, rows, av_);
    for (std::size_t i = 0; i < 2; ++i) {
      w_[i] -= alpha_ * (bw_[i] - av_[i]);
      this->x_[i] += beta * w_[i];
    }
    unstack<S>(orthonormal(stacked(this->x_)), this->x_);
  }

  /// Q with a positive diagonal of R: a column that changed its sign would not fit W any more.
  static Matrix<S> orthonormal(const Matrix<S>& v) {
    return orthonormalize<S>(IdentityPreconditioner<S>(v.rows()), v);
  }

  S alpha_ = 0;
  Point<S> w_, bw_, av_;
};

template <class S>
Result<S> solve_gen_oja_block(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return learn_by<GenOja<S>>(stream, options);
}

template <class S>
Result<S> solve_gen_oja(DataStream<S>& stream, const BaselineOptions<S>& options) {
  if (options.components > 1)
    throw UsageError(
        fmt::format("gen-oja finds one component, got p = {}; gen-oja-block finds more", options.components));
  return learn_by<GenOja<S>>(stream, options);
}

}  // namespace

std::vector<Baseline> gen_oja_methods() {
  return {{.name = "gen-oja",
           .text = "two time scales: a linear system and Oja's steps; p = 1",
           .source = "Bhatia, Pacchiano, Flammarion, Bartlett and Jordan 2018",
           .memory = "n (1 + r)",
           .stream = {solve_gen_oja<float>, solve_gen_oja<double>}},
          {.name = "gen-oja-block",
           .text = "Gen-Oja with p columns and a QR decomposition",
           .source = "after Bhatia et al. 2018",
           .origin = Origin::own,
           .memory = "n (p + r)",
           .stream = {solve_gen_oja_block<float>, solve_gen_oja_block<double>}}};
}

}  // namespace landfall
