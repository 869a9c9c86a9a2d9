// The pencil of CCA, A = [0 S_xy; S_yx 0] and B = diag(S_xx + ridge I, S_yy + ridge I), as some rows of a
// batch see it: products with W = [X; Y], nothing formed. And methods that take one step per batch by them.
//
//   const landfall::StochasticCcaOptions options{.components = 5, .ridge = 1e-3};
//   landfall::BatchPencil<float> pencil(options);
//   pencil.read(stream.view(0), stream.view(1));
//   landfall::Point<float> xy, product;
//   pencil.times_a(xy, pencil.first_half(), product);     // other halves for independent A and B
//   pencil.times_b(xy, pencil.second_half(), product);
#pragma once

#include <landfall/baselines/registry.hpp>
#include <landfall/baselines/stochastic_cca.hpp>
#include <landfall/linalg/scratch.hpp>

#include <array>
#include <string_view>

namespace landfall {

struct RowRange {
  Index first = 0, last = 0;
};

/// lambda_1(B) + tr B / rows of a batch, the largest of the views: steps of gradient descent below 2 over
/// that are stable in the mean square.
template <class S>
double batch_scale(std::span<const CentredBatch<S>* const> views, const StochasticCcaOptions& options);

template <class S>
class BatchPencil {
 public:
  explicit BatchPencil(const StochasticCcaOptions& options) : options_(options) {}

  /// The batch must stay until the next.
  void read(const CentredBatch<S>& left, const CentredBatch<S>& right) { views_ = {&left, &right}; }

  const std::array<const CentredBatch<S>*, 2>& views() const { return views_; }
  Index rows() const { return views_[0]->rows(); }
  RowRange all() const { return {0, rows()}; }
  /// All rows where there is but one.
  RowRange first_half() const { return {0, rows() / 2 > 0 ? rows() / 2 : rows()}; }
  RowRange second_half() const { return {rows() / 2, rows()}; }

  void times_a(const Point<S>& w, RowRange rows, Point<S>& out);
  void times_b(const Point<S>& w, RowRange rows, Point<S>& out);

  double scale() const { return batch_scale<S>(views_, options_); }

 private:
  void multiply(const Point<S>& w, RowRange rows, bool cross, Point<S>& out);

  StochasticCcaOptions options_;
  std::array<const CentredBatch<S>*, 2> views_{};
  Scratch<S> scores_;
};

/// A method whose step is made of products with A and B of the batch.
template <class S>
class PencilStepper : public StochasticCca<S> {
 public:
  PencilStepper(const StochasticCcaOptions& problem, std::string_view name, bool own_step)
      : pencil_(problem), problem_(problem), name_(name), own_step_(own_step) {
    validate(problem);
  }

  double step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) override;

 protected:
  /// With X and Y orthonormal on the first batch: returns the method's own learning rate, by which that of
  /// the schedule is multiplied where the user gave none.
  virtual double begin() = 0;
  virtual void update(S rate) = 0;

  BatchPencil<S> pencil_;
  StochasticCcaOptions problem_;

 private:
  std::string_view name_;
  bool own_step_;
  double unit_ = 1;
  Point<S> product_;
};

/// The options of a run with a cosine schedule, unless milestones are given; where no step is given the rate starts
/// at 1.
template <class S>
StochasticCcaOptions stochastic_options(const BaselineOptions<S>& options);

/// The start of the options, or orthonormal_on() the batch.
template <class S>
Point<S> start_of(std::span<const CentredBatch<S>* const> views, const BaselineOptions<S>& options,
                  std::string_view method);

/// The StreamSolver of a stepper that is made from StochasticCcaOptions and whether the step is its own.
template <class Method, class S>
Result<S> learn_by(DataStream<S>& stream, const BaselineOptions<S>& options) {
  const StochasticCcaOptions problem = stochastic_options(options);
  Method method(problem, !(options.step > 0));
  return learn<S>(method, stream, problem, options.observer);
}

/// UsageError where a method's so many n x n matrices of each kind are more than the memory allows.
template <class S>
void require_square_memory(std::string_view method, int matrices, const DataStream<S>& stream,
                           const BaselineOptions<S>& options);

/// [X; Y] as one matrix, and back.
template <class S>
Matrix<S> stacked(const Point<S>& w);
template <class S>
void unstack(const Matrix<S>& both, Point<S>& w);

#define LANDFALL_BATCH_PENCIL(EXTERN, S)                                                                   \
  EXTERN template double batch_scale<S>(std::span<const CentredBatch<S>* const>,                           \
                                        const StochasticCcaOptions&);                                      \
  EXTERN template class BatchPencil<S>;                                                                    \
  EXTERN template class PencilStepper<S>;                                                                  \
  EXTERN template StochasticCcaOptions stochastic_options<S>(const BaselineOptions<S>&);                   \
  EXTERN template Point<S> start_of<S>(std::span<const CentredBatch<S>* const>, const BaselineOptions<S>&, \
                                       std::string_view);                                                  \
  EXTERN template void require_square_memory<S>(std::string_view, int, const DataStream<S>&,               \
                                                const BaselineOptions<S>&);                                \
  EXTERN template Matrix<S> stacked<S>(const Point<S>&);                                                   \
  EXTERN template void unstack<S>(const Matrix<S>&, Point<S>&);
LANDFALL_BATCH_PENCIL(extern, float)
LANDFALL_BATCH_PENCIL(extern, double)

}  // namespace landfall
