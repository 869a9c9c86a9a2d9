#include <landfall/baselines/cca_ey.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/products.hpp>

#include <cmath>

#include <fmt/format.h>

namespace landfall {

template <class S>
CcaEy<S>::CcaEy(const StochasticCcaOptions& problem, const CcaEyOptions& options)
    : problem_(problem), options_(options) {
  validate(problem);
  if (!(options.momentum >= 0 && options.momentum < 1))
    throw UsageError(fmt::format("momentum must be at least 0 and below 1, got {}", options.momentum));
  const Index p = problem.components;
  ridge_.resize(p, p);
  for (auto& metric : metric_) metric.resize(p, p);
}

/// Each view on its own: X'(S_b + ridge I)X = I on the batch, and Y likewise.
template <class S>
void CcaEy<S>::start(const CentredBatch<S>& left, const CentredBatch<S>& right) {
  this->x_ = orthonormal_on<S>(std::array{&left, &right}, problem_, "CCA-EY");
  gradient_ = first_ = second_ = this->x_;
  for (Point<S>* moment : {&first_, &second_})
    for (auto& block : *moment) block.setZero();
}

template <class S>
double CcaEy<S>::loss(const CentredBatch<S>& left, const CentredBatch<S>& right, const Point<S>& x,
                      Point<S>* gradient) {
  const std::array<const CentredBatch<S>*, 2> views{&left, &right};
  const Index rows = left.rows(), p = problem_.components, half = rows / 2;
  const bool halves = options_.halves && half > 0;
  const std::array<S, 2> ridge{static_cast<S>(problem_.ridge_of(0)), static_cast<S>(problem_.ridge_of(1))};
  // Rows [begin[k], begin[k] + count[k]) are those of B_k.
  const std::array<Index, 2> begin{0, halves ? half : 0},
      count{halves ? half : rows, halves ? rows - half : rows};

  ridge_.setZero();
  for (std::size_t i = 0; i < 2; ++i) {
    views[i]->times(x[i], scores_[i].resize(rows, p));
    multiply_at<S>(x[i], x[i], ridge_, ridge[i], 1);
  }
  for (std::size_t k = 0; k < (halves ? 2 : 1); ++k) {
    metric_[k] = ridge_;
    for (auto& scores : scores_) {
      const auto part = scores.view().middleRows(begin[k], count[k]);
      multiply_at<S>(part, part, metric_[k], S(1) / static_cast<S>(count[k]), 1);
    }
  }
  if (!halves) metric_[1] = metric_[0];

  if (gradient)
    for (std::size_t i = 0; i < 2; ++i) {
      // A' slopes = -4 S_xy Y + 2 (S_1 X W'B_2 W + S_2 X W'B_1 W), and the ridge's part of the bracket
      auto& slopes = slopes_.resize(rows, p);
      slopes = (S(-4) / static_cast<S>(rows)) * scores_[1 - i].view();
      for (std::size_t k = 0; k < 2; ++k)
        multiply<S>(scores_[i].view().middleRows(begin[k], count[k]), metric_[1 - k],
                    slopes.middleRows(begin[k], count[k]), S(2) / static_cast<S>(count[k]), 1);
      Matrix<S>& g = (*gradient)[i];
      multiply<S>(x[i], metric_[0], g, 2 * ridge[i]);
      multiply<S>(x[i], metric_[1], g, 2 * ridge[i], 1);
      views[i]->transpose_times(slopes, g, 1, 1);
    }
  const S cross = scores_[0].view().cwiseProduct(scores_[1].view()).sum() / static_cast<S>(rows);
  return static_cast<double>(metric_[0].cwiseProduct(metric_[1]).sum() - 4 * cross);
}

template <class S>
double CcaEy<S>::step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) {
  if (this->x_.empty()) start(left, right);
  const double value = loss(left, right, this->x_, &gradient_);
  ++steps_;
  const S eta = static_cast<S>(rate);
  for (std::size_t i = 0; i < 2; ++i) {
    Matrix<S>&x = this->x_[i], &m = first_[i];
    const Matrix<S>& g = gradient_[i];
    if (options_.optimizer == Optimizer::adam) {
      // Kingma and Ba's constants
      constexpr double beta_1 = 0.9, beta_2 = 0.999;
      const double k = static_cast<double>(steps_);
      const S mean = static_cast<S>(1 / (1 - std::pow(beta_1, k))),
              square = static_cast<S>(1 / (1 - std::pow(beta_2, k)));
      Matrix<S>& v = second_[i];
      m += S(1 - beta_1) * (g - m);
      v.array() += S(1 - beta_2) * (g.array().square() - v.array());
      x.array() -= eta * mean * m.array() / ((square * v.array()).sqrt() + S(1e-8));
    } else if (options_.momentum > 0) {
      const S mu = static_cast<S>(options_.momentum);
      m = mu * m + g;
      if (options_.nesterov)
        x -= eta * (g + mu * m);
      else
        x -= eta * m;
    } else {
      x -= eta * g;
    }
  }
  return value;
}

template <class S>
Result<S> cca_ey(DataStream<S>& stream, const StochasticCcaOptions& problem, const CcaEyOptions& options) {
  CcaEy<S> method(problem, options);
  return learn(method, stream, problem);
}

LANDFALL_CCA_EY(, float)
LANDFALL_CCA_EY(, double)

}  // namespace landfall
