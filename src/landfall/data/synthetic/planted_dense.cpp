#include <landfall/data/synthetic/planted_view.ipp>
#include <landfall/linalg/decompositions.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace landfall {
namespace {

enum DensePurpose : std::uint64_t {
  dense_frame = 0x70636430,
  dense_signs = 0x70636432,
  dense_noise = 0x70636434
};  // + side

/// An orthogonal matrix that mixes all coordinates and takes O(n) memory: random signs, then sums and
/// differences over 1, 2, 4, ... coordinates (Walsh and Hadamard's when n is a power of two).
class Mixing {
 public:
  Mixing(Index size, Stream stream) : signs_(size) {
    for (Index i = 0; i < size; ++i)
      signs_[i] = uniform(stream, static_cast<std::uint64_t>(i)) < 0.5 ? -1 : 1;
  }

  void apply(Eigen::Ref<Vector<double>> v) const {
    v.array() *= signs_.array();
    const Index n = v.size();
    for (Index stride = 1; stride < n; stride *= 2)
      for (Index block = 0; block + stride < n; block += 2 * stride) {
        const Index count = std::min(stride, n - block - stride);
        auto first = v.segment(block, count), second = v.segment(block + stride, count);
        for (Index i = 0; i < count; ++i) {
          const double a = first[i], b = second[i];
          first[i] = (a + b) / std::numbers::sqrt2;
          second[i] = (a - b) / std::numbers::sqrt2;
        }
      }
  }

 private:
  Vector<double> signs_;
};

/// The square root of the i-th eigenvalue.
double deviation(const PlantedViewOptions& options, Index i) {
  const double n = static_cast<double>(options.cols), at = static_cast<double>(i);
  switch (options.spectrum) {
    case Spectrum::log:
      return n == 1 ? 1 : std::pow(options.condition, -at / (2 * (n - 1)));
    case Spectrum::flat:
      return 1;
    case Spectrum::two_level:
      return 10 * at < n ? 1 : 1 / std::sqrt(options.condition);
    case Spectrum::power:
      return 1 / std::sqrt(1 + at);
  }
  return 1;
}

/// x = Q D (G u + (I - G G') e) with G'G = I and e ~ N(0, I): what is in brackets is white whenever u is, its
/// part along G is u, and cov(x) = Q D^2 Q'. In the basis of the brackets the canonical directions are the
/// columns of G, so the weights are those of x' Q D^-1 G. With u_k = sqrt(rho_k) z_k + sqrt(1 - rho_k) e_k
/// in both views their correlation is rho_k.
template <class S>
class DenseView final : public PlantedView<S> {
 public:
  explicit DenseView(const PlantedViewOptions& options)
      : noise_{options.seed, dense_noise + options.side},
        mixing_(options.cols, {options.seed, dense_signs + options.side}),
        frame_(random_orthonormal(options.cols, options.correlations.size(),
                                  {options.seed, dense_frame + options.side})),
        shared_(options.correlations.cwiseSqrt()),
        own_((1 - options.correlations.array()).sqrt()),
        scale_(options.cols),
        white_(options.cols),
        u_(options.correlations.size()) {
    for (Index i = 0; i < options.cols; ++i) scale_[i] = deviation(options, i);
    this->weights_ = scale_.cwiseInverse().asDiagonal() * frame_;
    for (Index k = 0; k < frame_.cols(); ++k) mixing_.apply(this->weights_.col(k));
  }

  void start(Batch<S>& batch) const override { batch.start_dense(scale_.size()); }

  void add_row(Index row, const Vector<double>& shared, Batch<S>& batch) override {
    Draws draws(noise_, row);
    for (Index k = 0; k < u_.size(); ++k) u_[k] = shared_[k] * shared[k] + own_[k] * draws.normal();
    for (Index i = 0; i < white_.size(); ++i) white_[i] = draws.normal();
    u_.noalias() -= frame_.transpose() * white_;
    white_.noalias() += frame_ * u_;
    white_.array() *= scale_.array();
    mixing_.apply(white_);
    const auto out = batch.add_row(row);
    for (Index i = 0; i < white_.size(); ++i) out[static_cast<std::size_t>(i)] = static_cast<S>(white_[i]);
  }

 private:
  Stream noise_;
  Mixing mixing_;         // Q
  Matrix<double> frame_;  // G
  Vector<double> shared_, own_, scale_, white_, u_;
};

}  // namespace

template <class S>
std::unique_ptr<PlantedView<S>> make_dense_view(const PlantedViewOptions& options) {
  return std::make_unique<DenseView<S>>(options);
}

template std::unique_ptr<PlantedView<float>> make_dense_view<float>(const PlantedViewOptions&);
template std::unique_ptr<PlantedView<double>> make_dense_view<double>(const PlantedViewOptions&);

}  // namespace landfall
