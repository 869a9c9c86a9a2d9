// SGHA, the stochastic generalized Hebbian algorithm (Chen et al. 2019), whose fixed points have W'BW = I
// without a constraint:
//
//   W <- W + eta (A_t W - B_t W (W'A_t W)),   A_t and B_t from the two halves of the batch
//
// The published code takes both from one batch, which is biased.
#include <landfall/baselines/batch_pencil.hpp>

namespace landfall {
namespace {

template <class S>
class Sgha final : public PencilStepper<S> {
 public:
  Sgha(const StochasticCcaOptions& problem, bool own_step) : PencilStepper<S>(problem, "SGHA", own_step) {}

 private:
  /// Starts near 0, where A W leads: elsewhere W'AW may have negative eigenvalues, along which W grows.
  double begin() override {
    for (auto& block : this->x_) block *= S(0.1);
    return 0.3 / this->pencil_.scale();
  }

  void update(S rate) override {
    auto& x = this->x_;
    this->pencil_.times_a(x, this->pencil_.first_half(), aw_);
    this->pencil_.times_b(x, this->pencil_.second_half(), bw_);
    const Matrix<S> inner = x[0].transpose() * aw_[0] + x[1].transpose() * aw_[1];
    for (std::size_t i = 0; i < 2; ++i) x[i] += rate * (aw_[i] - bw_[i] * inner);
  }

  Point<S> aw_, bw_;
};

template <class S>
Result<S> solve_sgha(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return learn_by<Sgha<S>>(stream, options);
}

}  // namespace

std::vector<Baseline> sgha_methods() {
  return {{.name = "sgha",
           .text = "generalized Hebbian steps, no constraint",
           .source = "Chen, Li, Yang, Liu and Zhao 2019",
           .memory = "n (p + r)",
           .stream = {solve_sgha<float>, solve_sgha<double>}}};
}

}  // namespace landfall
