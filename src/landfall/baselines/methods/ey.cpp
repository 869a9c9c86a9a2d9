// CCA-EY (cca_ey.hpp) among the baselines, with learning rates from the first batch: the curvature of the loss
// is about 8 lambda_1(B), and momentum 0.9 makes a step ten times as long; Adam's steps have the size of an
// entry of W.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/baselines/cca_ey.hpp>

namespace landfall {
namespace {

template <class S, Optimizer optimizer>
class Ey final : public StochasticCca<S> {
 public:
  Ey(const StochasticCcaOptions& problem, bool own_step)
      : method_(problem, {.optimizer = optimizer, .momentum = optimizer == Optimizer::sgd ? 0.9 : 0}),
        pencil_(problem),
        problem_(problem),
        own_step_(own_step) {}

  double step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) override {
    if (this->x_.empty() && own_step_) {
      pencil_.read(left, right);
      if (optimizer == Optimizer::sgd) {
        unit_ = 0.03 / pencil_.scale();
      } else {
        const Matrix<S> w = stacked<S>(orthonormal_on<S>(std::array{&left, &right}, problem_, "CCA-EY"));
        unit_ = 0.1 * static_cast<double>(w.norm()) / std::sqrt(static_cast<double>(w.size()));
      }
    }
    const double objective = method_.step(left, right, unit_ * rate);
    this->x_ = method_.x();
    return objective;
  }

 private:
  CcaEy<S> method_;
  BatchPencil<S> pencil_;
  StochasticCcaOptions problem_;
  bool own_step_;
  double unit_ = 1;
};

template <class S, Optimizer optimizer>
Result<S> solve_ey(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return learn_by<Ey<S, optimizer>>(stream, options);
}

}  // namespace

std::vector<Baseline> ey_methods() {
  constexpr auto sgd = Optimizer::sgd, adam = Optimizer::adam;
  return {{.name = "ey-sgd",
           .text = "Eckart-Young loss without a constraint, momentum 0.9",
           .source = "Chapman, Wells and Lawry Aguila 2024",
           .memory = "n (p + r)",
           .stream = {solve_ey<float, sgd>, solve_ey<double, sgd>}},
          {.name = "ey-adam",
           .text = "Eckart-Young loss without a constraint, Adam",
           .source = "Chapman, Wells and Lawry Aguila 2024",
           .memory = "n (p + r)",
           .stream = {solve_ey<float, adam>, solve_ey<double, adam>}}};
}

}  // namespace landfall
