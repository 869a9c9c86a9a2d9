// gamma-EigenGame (Gemp et al. 2023): unit vectors v_1 ... v_p, each a player that maximises its Rayleigh
// quotient and is punished for what it shares with those before it. q_i follows B v_i.
//
//   y_j = v_j / sqrt(v_j'q_j),   b_j = q_j / sqrt(v_j'q_j)
//   grad_i = (v_i'B_t v_i) A_t v_i - (v_i'A_t v_i) B_t v_i
//            - sum_{j<i} (v_i'A_t y_j) [(v_i'B_t v_i) b_j - (v_i'b_j) B_t v_i]
//   v_i <- normalise(v_i + eta Adam(grad_i)),   q_i <- q_i + gamma (B_t v_i - q_i)
//
// A_t and B_t come from the two halves of the batch. The authors' configuration has Adam; its steps have the
// size of an entry of a unit vector here.
#include <landfall/baselines/batch_pencil.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {
namespace {

constexpr double kMean = 0.9, kSquare = 0.999;  // Adam's constants
constexpr double kFollow = 0.05;                // gamma

template <class S>
class EigenGame final : public PencilStepper<S> {
 public:
  EigenGame(const StochasticCcaOptions& problem, bool own_step)
      : PencilStepper<S>(problem, "gamma-EigenGame", own_step) {}

 private:
  double begin() override {
    v_ = stacked(this->x_);
    v_.colwise().normalize();
    unstack(v_, this->x_);
    this->pencil_.times_b(this->x_, this->pencil_.all(), product_);
    q_ = stacked(product_);
    first_.setZero(v_.rows(), v_.cols());
    second_ = first_;
    return 0.3 / std::sqrt(static_cast<double>(v_.rows()));
  }

  void update(S rate) override {
    this->pencil_.times_a(this->x_, this->pencil_.first_half(), product_);
    const Matrix<S> av = stacked(product_);
    this->pencil_.times_b(this->x_, this->pencil_.second_half(), product_);
    const Matrix<S> bv = stacked(product_);
    Matrix<S> y = v_, b = q_, gradient(v_.rows(), v_.cols());
    for (Index j = 0; j < v_.cols(); ++j) {
      const S length = std::sqrt(std::max(v_.col(j).dot(q_.col(j)), S(1e-10) * q_.col(j).norm()));
      y.col(j) /= length;
      b.col(j) /= length;
    }
    for (Index i = 0; i < v_.cols(); ++i) {
      const S vbv = v_.col(i).dot(bv.col(i)), vav = v_.col(i).dot(av.col(i));
      gradient.col(i) = vbv * av.col(i) - vav * bv.col(i);
      for (Index j = 0; j < i; ++j)
        gradient.col(i) -= av.col(i).dot(y.col(j)) * (vbv * b.col(j) - v_.col(i).dot(b.col(j)) * bv.col(i));
    }
    ++steps_;
    first_ += S(1 - kMean) * (gradient - first_);
    second_.array() += S(1 - kSquare) * (gradient.array().square() - second_.array());
    const S mean = static_cast<S>(1 / (1 - std::pow(kMean, steps_))),
            square = static_cast<S>(1 / (1 - std::pow(kSquare, steps_)));
    const S least = std::numeric_limits<S>::min();
    v_.array() += rate * mean * first_.array() / ((square * second_.array()).sqrt() + least);
    v_.colwise().normalize();
    q_ += S(kFollow) * (bv - q_);
    unstack(v_, this->x_);
  }

  Matrix<S> v_, q_, first_, second_;
  Point<S> product_;
  int steps_ = 0;
};

template <class S>
Result<S> solve_eigengame(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return learn_by<EigenGame<S>>(stream, options);
}

}  // namespace

std::vector<Baseline> eigengame_methods() {
  return {{.name = "eigengame",
           .text = "gamma-EigenGame: one player per component, Adam",
           .source = "Gemp, Chen and McWilliams 2023",
           .memory = "n (5 p + r)",
           .stream = {solve_eigengame<float>, solve_eigengame<double>}}};
}

}  // namespace landfall
