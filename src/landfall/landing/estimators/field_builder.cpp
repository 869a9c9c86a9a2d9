#include <landfall/errors.hpp>
#include <landfall/landing/estimators/field_builder.hpp>

#include <algorithm>
#include <cmath>

namespace landfall {

template <class S>
FieldBuilder<S>::FieldBuilder(std::vector<FieldOptions<S>> options)
    : options_(std::move(options)), scales_(options_.size(), 1.0), scaled_(options_.size()) {
  for (const auto& field : options_) {
    kernels_.emplace_back(field);
    if (field.direction == Direction::riemannian || field.direction == Direction::euclidean)
      throw UsageError(
          "sampled problems need the metric or preconditioned direction: the others have no unbiased "
          "estimate");
  }
}

template <class S>
void FieldBuilder<S>::start(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  x_ = &x;
  out_ = &out;
  pull_ = pull;
  out.lambda.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out.lambda[i].resize(x[i].rows(), x[i].cols());
  out.omega = 0;
  infeasibility_ = stationarity_ = 0;
  noted_ = 0;
}

template <class S>
void FieldBuilder<S>::add(std::size_t i, const Matrix<S>& g, const Matrix<S>& y1, const Matrix<S>& y2,
                          Matrix<S>& lambda) {
  kernels_[i]((*x_)[i], g, y1, y2, omega(i), lambda);
  note_kernel(i);
}

template <class S>
void FieldBuilder<S>::add_sharing(std::size_t i, Index m, S ridge, const Matrix<S>& g, const Matrix<S>& y1,
                                  const Matrix<S>& y2, Matrix<S>& lambda) {
  const Matrix<S>& x = (*x_)[i];
  const S scale = static_cast<S>(m) / static_cast<S>(m - 1);
  scaled_[i] = scale * y1 + (1 - scale) * ridge * x;
  kernels_[i](x, g, scaled_[i], y2, 0, lambda);
  kernels_[i].measure(x, y1);
  kernels_[i].add_normal(x, y2, omega(i), lambda);
  note_kernel(i);
}

template <class S>
void FieldBuilder<S>::note_kernel(std::size_t i) {
  note(i, kernels_[i].residual(), static_cast<double>(kernels_[i].tangent_norm()),
       static_cast<double>(kernels_[i].tangent_scale()));
}

template <class S>
void FieldBuilder<S>::note(std::size_t i, const Matrix<S>& residual, double tangent, double scale) {
  out_->omega = std::max(out_->omega, pull_.weight(scales_[i]));
  infeasibility_ += static_cast<double>(residual.squaredNorm());
  if (scale > 0) stationarity_ += std::pow(tangent / scale, 2);
  ++noted_;
}

template <class S>
void FieldBuilder<S>::finish() {
  const double estimates = static_cast<double>(noted_) / static_cast<double>(options_.size());
  out_->infeasibility = std::sqrt(infeasibility_ / estimates);
  out_->stationarity = std::sqrt(stationarity_ / estimates);
}

template class FieldBuilder<float>;
template class FieldBuilder<double>;

}  // namespace landfall
