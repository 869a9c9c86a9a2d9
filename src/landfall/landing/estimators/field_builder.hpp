// The field of one step, put together block by block from estimates of G = grad f, Y1 = B_z X and Y2 = B_z' X.
//
//   #include <landfall/manifold/field.hpp>
//   landfall::FieldBuilder<double> field({landfall::FieldOptions<double>{}});
//   landfall::FieldValue<double> value;
//   field.start(point, {.attraction = 0.25, .step = 0.1}, value);
//   field.add(0, g, y, y, value.lambda[0]);
//   field.finish();
#pragma once

#include <landfall/landing/oracle.hpp>
#include <landfall/manifold/field.hpp>

namespace landfall {

template <class S>
class FieldBuilder {
 public:
  /// One per block. UsageError for a direction without an unbiased estimate.
  explicit FieldBuilder(std::vector<FieldOptions<S>> options);

  const std::vector<FieldOptions<S>>& options() const { return options_; }
  /// beta_1 of the normal term of each block; 1 until then.
  void set_scales(std::vector<double> scales) { scales_ = std::move(scales); }

  /// The field at x goes to `out`; both must live until finish().
  void start(const Point<S>& x, const Pull& pull, FieldValue<S>& out);

  /// lambda = the field of block i.
  void add(std::size_t i, const Matrix<S>& g, const Matrix<S>& y1, const Matrix<S>& y2, Matrix<S>& lambda);

  /// The same where G and Y1 come from the same m linear samples. A sample that meets itself is symmetric and
  /// vanishes under skew, which leaves m(m-1) of the m^2 pairs. Psi is linear in Y1, so its data part is
  /// scaled by m/(m-1); H is not.
  void add_sharing(std::size_t i, Index m, S ridge, const Matrix<S>& g, const Matrix<S>& y1,
                   const Matrix<S>& y2, Matrix<S>& lambda);

  /// What was found of block i where its field was estimated elsewhere: X'BX - I, ||Psi|| and its scale.
  void note(std::size_t i, const Matrix<S>& residual, double tangent = 0, double scale = 0);

  /// omega of block i.
  S omega(std::size_t i) const { return static_cast<S>(pull_.weight(scales_[i])); }
  FieldValue<S>& out() const { return *out_; }

  /// Infeasibility and stationarity: means over the estimates of each block.
  void finish();

 private:
  void note_kernel(std::size_t i);

  std::vector<FieldOptions<S>> options_;
  std::vector<StiefelField<S>> kernels_;
  std::vector<double> scales_;
  const Point<S>* x_ = nullptr;
  FieldValue<S>* out_ = nullptr;
  Pull pull_;
  double infeasibility_ = 0, stationarity_ = 0;  // sums of squares
  std::size_t noted_ = 0;
  Point<S> scaled_;  // of each block
};

extern template class FieldBuilder<float>;
extern template class FieldBuilder<double>;

}  // namespace landfall
