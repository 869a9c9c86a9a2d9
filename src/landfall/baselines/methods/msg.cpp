// Capped MSG (Arora et al. 2017): matrix stochastic gradient on a convex relaxation of CCA. In whitened
// coordinates M stands for U V', and lives in {singular values in [0, 1], their sum at most p}:
//
//   C_x, C_y: covariances of all rows so far;   W_x = (C_x + ridge I)^-1/2,   W_y likewise
//   M <- M + eta_t W_x (X_b'Y_b / r) W_y,   its singular values shifted and clipped back into the set,
//   the 2p largest kept (the cap)
//
// The answer is W_x and W_y times the p leading singular vectors of M. n x n matrices and their roots are its
// price: the roots are made again whenever the rows seen have grown by a tenth.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <limits>

namespace landfall {
namespace {

/// The singular values of the nearest point of the set, in the Frobenius norm: sigma - theta clipped to
/// [0, 1], theta >= 0 such that the sum is at most p, found by bisection.
template <class S>
Vector<S> clipped(const Vector<S>& sigma, Index p) {
  const auto at = [&](S theta) { return Vector<S>((sigma.array() - theta).max(S(0)).min(S(1))); };
  if (at(0).sum() <= static_cast<S>(p)) return at(0);
  S low = 0, high = sigma.maxCoeff();
  for (int k = 0; k < 60; ++k) {
    const S middle = (low + high) / 2;
    (at(middle).sum() > static_cast<S>(p) ? low : high) = middle;
  }
  return at(high);
}

template <class S>
class Msg final : public PencilStepper<S> {
 public:
  Msg(const StochasticCcaOptions& problem, bool own_step) : PencilStepper<S>(problem, "MSG", own_step) {}

 private:
  double begin() override {
    const auto& x = this->x_;
    for (std::size_t i = 0; i < 2; ++i) sums_[i].setZero(x[i].rows(), x[i].rows());
    m_.setZero(x[0].rows(), x[1].rows());
    return 0.1;  // whitened coordinates have no scale
  }

  void update(S rate) override {
    const auto& views = this->pencil_.views();
    const S rows = static_cast<S>(this->pencil_.rows());
    const auto left = dense_[0](*views[0]), right = dense_[1](*views[1]);
    multiply_bt<S>(left, left, sums_[0], 1, 1);
    multiply_bt<S>(right, right, sums_[1], 1, 1);
    seen_ += rows;
    if (seen_ >= S(1.1) * whitened_at_) whiten();
    m_ += (rate / rows) * roots_[0] * (left * right.transpose()) * roots_[1];

    // Singular vectors by the eigenvectors of M'M: the small singular values are of no use here.
    const Index p = this->problem_.components, kept = std::min({2 * p, m_.rows(), m_.cols()});
    eigen_.compute(m_.transpose() * m_);
    const Matrix<S> v = eigen_.vectors().rightCols(kept).rowwise().reverse();
    Matrix<S> u = m_ * v;
    const Vector<S> sigma = u.colwise().norm(), shrunk = clipped<S>(sigma, p);
    for (Index j = 0; j < kept; ++j) u.col(j) /= std::max(sigma(j), std::numeric_limits<S>::min());
    m_ = u * shrunk.asDiagonal() * v.transpose();
    this->x_[0] = roots_[0] * u.leftCols(p);
    this->x_[1] = roots_[1] * v.leftCols(p);
  }

  void whiten() {
    for (std::size_t i = 0; i < 2; ++i) {
      Matrix<S> covariance = sums_[i] / seen_;
      covariance.diagonal().array() += static_cast<S>(this->problem_.ridge_of(i));
      eigen_.compute(covariance);
      // Before as many rows as columns have come the smallest eigenvalues are 0: those do not count.
      const S least = S(1e-3) * eigen_.values().maxCoeff() * static_cast<S>(seen_ < 4 * covariance.rows()) +
                      std::numeric_limits<S>::epsilon() * eigen_.values().maxCoeff();
      const Vector<S> weights = eigen_.values().array().max(least).rsqrt();
      roots_[i] = eigen_.vectors() * weights.asDiagonal() * eigen_.vectors().transpose();
    }
    whitened_at_ = seen_;
  }

  std::array<DenseRows<S>, 2> dense_;
  std::array<Matrix<S>, 2> sums_, roots_;
  Matrix<S> m_;
  SymmetricEigen<S> eigen_;
  S seen_ = 0, whitened_at_ = 0;
};

template <class S>
Result<S> solve_msg(DataStream<S>& stream, const BaselineOptions<S>& options) {
  require_square_memory<S>("msg", 4, stream, options);
  return learn_by<Msg<S>>(stream, options);
}

}  // namespace

std::vector<Baseline> msg_methods() {
  return {{.name = "msg",
           .text = "matrix stochastic gradient on a convex relaxation, capped rank",
           .source = "Arora, Marinov, Mianjy and Srebro 2017",
           .memory = "n^2",
           .stream = {solve_msg<float>, solve_msg<double>}}};
}

}  // namespace landfall
