// K, an inverse of B = S + ridge I whose eigenvectors come from some rows and whose eigenvalues from others.
//
//   std::vector<std::vector<landfall::CentredBatch<float>>> seen, unseen;    // batches of views
//   const landfall::ValidatedInverse<float> inverse(seen, unseen, 0, {.rank = 64}, 1e-3f, {},
//                                                   landfall::serial_communicator());
//   use(inverse.noise(), inverse.rank());
//
// The eigenvalues of a sample covariance of m rows spread around the true ones by factors of (1 +- sqrt(n/m))^2, so its
// inverse is wrong by as much. We keep its eigenvectors Q and measure the variance of rows that had no part in them:
//   K = D [Q diag(1/d) Q' + (I - QQ')/t] D,   d_i = mean (a'D q_i)^2 over the unseen rows + ridge ||D q_i||^2,
// D the inverse deviations of the columns, Q eigenvectors of D B D of the seen rows, t the mean of what is left of the trace.
// Among all matrices with these eigenvectors this is the best one (Ledoit and Wolf's oracle); there is nothing to choose.
// A single row may make up more than that: d_i is at least what the seen and the unseen rows have of it, over all N rows.
// Q is complete where `rank` allows n; else it has the leading eigenvectors, by a randomised range finder. Where a complete K may come
// from three rows per column or more, it is a multiple of their inverse covariance, by Cholesky, and leaving out each row in turn validates it.
// Such a K may be told of further rows with weights, those that make up much of B.
#pragma once

#include <landfall/landing/subspace/moving_means.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/scratch.hpp>
#include <landfall/linalg/state.hpp>
#include <landfall/parallel/cancel.hpp>
#include <landfall/parallel/communicator.hpp>

#include <span>

namespace landfall {

struct InverseOptions {
  Index rank = 64;           // eigenvectors at most; n or more: all of them
  int power_iterations = 1;  // of the range finder
  double rows = 0;           // N of all; 0: unknown
  std::uint64_t seed = 0;
};

template <class S>
class ValidatedInverse final : public SymmetricOperator<S> {
 public:
  using Batches = std::span<const std::vector<CentredBatch<S>>>;

  /// `variance`: of the columns over all rows, where it is known; else empty. `more`: rows beside these, whose weights are shares of
  /// the mean.
  ValidatedInverse(Batches seen, Batches unseen, std::size_t view, const InverseOptions& options, S ridge,
                   const Vector<S>& variance, Communicator& communicator, const CancelFlag& cancel = {},
                   const WeightedRows<S>* more = nullptr);

  Index rank() const { return complete() ? this->size() : values_.size(); }
  const Vector<S>& scale() const { return scale_; }  // D
  /// Of h = ||a||_K^2 over the unseen rows a: q = E h^2/c / E h, where c is in how many batches a row of that size
  /// enters (heavy_rows.hpp), and the mean of h.
  double noise() const { return noise_; }
  double size_of_rows() const { return size_; }
  /// z = K^1/2 omega / sqrt(count), omega Gaussian: the sum of (a'z)^2 has the mean h.
  const Matrix<S>& probes() const { return probes_; }

  /// Whether K is known as a matrix.
  bool complete() const { return dense_.size() > 0; }
  /// Whether K has the rows of `more`: only one that was made by Cholesky does.
  bool informed() const { return informed_; }
  /// Some rows of K x, of a complete K.
  void apply_rows(const RankSlice& rows, In<S> x, Out<S> y) const;

  /// K <- K - K a a'K / (rows + a'Ka): K learns of a row that weighs as much as many others.
  void add_row(In<S> a, double rows);
  /// What add_row() has changed.
  void state(State& state) { state(heavy_); }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override;

 private:
  void add_squares(Batches batches, std::size_t view, const CancelFlag& cancel, Matrix<S>& sum) const;
  bool factored(Batches seen, Batches unseen, std::size_t view, const InverseOptions& options,
                Communicator& communicator, const CancelFlag& cancel, const WeightedRows<S>* more);
  void complete_basis(Batches seen, std::size_t view, Communicator& communicator, const CancelFlag& cancel);
  void leading_basis(Batches seen, std::size_t view, const InverseOptions& options,
                     Communicator& communicator, const CancelFlag& cancel);
  Vector<double> variances_along(const Matrix<S>& dq, Batches batches, std::size_t view,
                                 Communicator& communicator, const CancelFlag& cancel) const;
  Matrix<S> gaussian_probes(std::uint64_t seed, std::size_t view) const;
  void make_probes(std::uint64_t seed, std::size_t view);
  Vector<double> seen_variances(const Matrix<S>& dq, const Vector<double>& added, Batches seen,
                                std::size_t view, Communicator& communicator, const CancelFlag& cancel) const;
  std::vector<Vector<double>> sizes_of(Batches unseen, std::size_t view,
                                       const std::vector<Matrix<S>>& scores) const;
  void measure_noise(const std::vector<Vector<double>>& sizes, Communicator& communicator);
  void take_heavy(const RankSlice& rows, In<S> x, Out<S> y) const;
  void validate(Batches seen, Batches unseen, std::size_t view, const InverseOptions& options,
                Communicator& communicator, const CancelFlag& cancel);

  Vector<S> scale_, added_;  // D; ridge and variance that the seen rows lack, on the diagonal of D B D
  Matrix<S> vectors_;        // Q; empty once K is known whole
  Vector<S> values_;         // d, 0 where nothing varies; before validate(): of the seen rows
  S tail_ = 0;               // t; 0: Q is complete
  Vector<S> excess_;         // 1/values - 1/tail
  Matrix<S> dense_;          // K itself where Q is complete
  Matrix<S> heavy_;          // columns h with K <- K - h h'
  double noise_ = 0, size_ = 0, total_ = 0;
  bool informed_ = false;
  Matrix<S> probes_;
  mutable Scratch<S> scaled_, projected_;
};

extern template class ValidatedInverse<float>;
extern template class ValidatedInverse<double>;

}  // namespace landfall
