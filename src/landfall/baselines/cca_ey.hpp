// CCA-EY (Chapman, Wells and Lawry Aguila 2024): CCA without a constraint, by the loss of Eckart and Young.
// The stochastic baseline with landing's memory, O(n (p + batch)).
//
//   const auto result = landfall::cca_ey<float>(
//       stream, {.components = 5, .learning_rate = 1e-2, .passes = 4, .ridge = 1e-3},
//       {.optimizer = landfall::Optimizer::adam});
//   use(result.x[0], result.x[1]);
//
// With W = [X; Y], A = [0 S_xy; S_yx 0], B = diag(S_xx + ridge I, S_yy + ridge I):
//
//   L(W) = -2 tr W'AW + ||W'BW||^2,  least at W = W_p Lambda_p^1/2 O, where it is -(rho_1^2 + ... + rho_p^2)
//
// and on a batch, with B_1 and B_2 from its two halves, -2 tr W'AW + <W'B_1 W, W'B_2 W>, whose mean is L; or
// with both from the whole batch, which is less noisy and biased.
#pragma once

#include <landfall/baselines/stochastic_cca.hpp>
#include <landfall/linalg/scratch.hpp>

#include <array>

namespace landfall {

enum class Optimizer { sgd, adam };

struct CcaEyOptions {
  Optimizer optimizer = Optimizer::sgd;
  double momentum = 0;    // sgd, in [0, 1); the authors' package takes 0.9
  bool nesterov = false;  // sgd with momentum: look ahead, as older versions of that package do
  bool halves = true;     // B_1 and B_2 from the halves of the batch; false: both from all of it
};

template <class S>
class CcaEy final : public StochasticCca<S> {
 public:
  CcaEy(const StochasticCcaOptions& problem, const CcaEyOptions& options);

  /// The first step starts from random X and Y that are orthonormal on its batch.
  double step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) override;

  /// The loss of a batch at any point, and its gradient unless null.
  double loss(const CentredBatch<S>& left, const CentredBatch<S>& right, const Point<S>& x,
              Point<S>* gradient);

 private:
  void start(const CentredBatch<S>& left, const CentredBatch<S>& right);

  StochasticCcaOptions problem_;
  CcaEyOptions options_;
  std::uint64_t steps_ = 0;
  Point<S> gradient_, first_, second_;  // moments of the optimizer: momentum or Adam's two
  std::array<Scratch<S>, 2> scores_;    // A X and A Y, rows of the batch
  Scratch<S> slopes_;
  Matrix<S> ridge_;                  // ridge W'W
  std::array<Matrix<S>, 2> metric_;  // W'B_1 W and W'B_2 W
};

/// The whole run: learn() with a CcaEy.
template <class S>
Result<S> cca_ey(DataStream<S>& stream, const StochasticCcaOptions& problem,
                 const CcaEyOptions& options = {});

#define LANDFALL_CCA_EY(EXTERN, S) \
  EXTERN template class CcaEy<S>;  \
  EXTERN template Result<S> cca_ey<S>(DataStream<S>&, const StochasticCcaOptions&, const CcaEyOptions&);
LANDFALL_CCA_EY(extern, float)
LANDFALL_CCA_EY(extern, double)

}  // namespace landfall
