#include <landfall/errors.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/agreement.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/rank.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

/// B_k of some batches, of which each rank holds a part.
template <class S>
class BatchesOperator final : public SymmetricOperator<S> {
 public:
  BatchesOperator(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view, S ridge,
                  Communicator& communicator, const CancelFlag& cancel)
      : SymmetricOperator<S>(batches.front()[view].cols()),
        batches_(batches),
        view_(view),
        ridge_(communicator.rank() == 0 ? ridge : S(0)),
        communicator_(communicator),
        cancel_(cancel) {
    for (const auto& batch : batches) rows_ += batch[view].rows();
    reduce(communicator_, rows_);
  }

 protected:
  void apply_impl(In<S> x, Out<S> y) const override {
    y = ridge_ * x;
    for (const auto& batch : batches_) {
      cancel_.throw_if_requested();
      if (batch[view_].rows() == 0) continue;
      auto& alpha = alpha_.resize(batch[view_].rows(), x.cols());
      batch[view_].times(x, alpha);
      batch[view_].transpose_times(alpha, y, S(1) / static_cast<S>(rows_), 1);
    }
    reduce(communicator_, y);
  }

 private:
  std::span<const std::vector<CentredBatch<S>>> batches_;
  std::size_t view_;
  S ridge_;  // on rank 0: it enters the sum once
  Communicator& communicator_;
  const CancelFlag& cancel_;
  Index rows_ = 0;
  mutable Scratch<S> alpha_;
};

/// K = D K~ D, K~ from a sketch of D B D; its rank is added to `ranks`.
template <class S>
PreconditionerPtr<S> scaled_sketch(const SymmetricOperator<S>& b, const Vector<S>& scale,
                                   const SketchOptions& options, std::vector<Index>& ranks) {
  Scratch<S> scaled;
  const CallbackOperator<S> product(b.size(), [&](In<S> x, Out<S> y) {
    scaled.resize(x.rows(), x.cols()) = scale.asDiagonal() * x;
    b.apply(scaled.view(), y);
    y.array().colwise() *= scale.array();
  });
  const auto sketch = sketch_preconditioner<S>(product, options);
  ranks.push_back(sketch->rank());
  return std::make_shared<ScaledPreconditioner<S>>(scale, sketch);
}

/// Hands over the rows, a few at a time, as columns.
template <class S, class Use>
void each_row(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view, Use use) {
  constexpr Index width = 16;
  for (const auto& batch : batches) {
    const CentredBatch<S>& rows = batch[view];
    Matrix<S> unit(rows.rows(), width), a(rows.cols(), width);
    for (Index begin = 0; begin < rows.rows(); begin += width) {
      unit.setZero();
      for (Index j = 0; j < std::min(width, rows.rows() - begin); ++j) unit(begin + j, j) = 1;
      rows.transpose_times(unit, a, 1, 0);  // zeros beyond the last row
      use(a);
    }
  }
}

/// The diagonal of A'A / N.
template <class S>
Vector<S> column_variances(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view,
                           Communicator& communicator) {
  Vector<S> squares = Vector<S>::Zero(batches.front()[view].cols());
  Index count = 0;
  for (const auto& batch : batches) count += batch[view].rows();
  each_row<S>(batches, view, [&](const Matrix<S>& a) { squares += a.rowwise().squaredNorm(); });
  reduce(communicator, squares, count);
  return squares / static_cast<S>(count);
}

/// What the diagonal of B needs beyond what the first rows show: where the variance is more than twice
/// theirs, the rest of it; and as much as bounds the part of one entry in ||a||_K^2 by kMostNoise. Columns
/// with a normal distribution need neither.
template <class S>
Vector<S> missing_variance(const Vector<S>& seen, const ColumnScales<S>& all) {
  constexpr S kMostNoise = 200;
  const auto rare = all.variance.array() > 2 * seen.array();
  const Vector<S> variance = rare.select(all.variance, seen);
  return variance.cwiseMax(all.range.cwiseAbs2() / kMostNoise) - seen;
}

/// E||a||_K^4 / E||a||_K^2 over the rows a.
template <class S>
double row_noise(std::span<const std::vector<CentredBatch<S>>> batches, std::size_t view,
                 const Preconditioner<S>& k, Communicator& communicator) {
  double squares = 0, fourths = 0;
  Matrix<S> ka;
  each_row<S>(batches, view, [&](const Matrix<S>& a) {
    ka.resize(a.rows(), a.cols());
    k.apply(a, ka);
    for (Index j = 0; j < a.cols(); ++j) {
      const double square = static_cast<double>(a.col(j).dot(ka.col(j)));
      squares += square;
      fourths += square * square;
    }
  });
  reduce(communicator, squares, fourths);
  return squares > 0 ? fourths / squares : 0;
}

}  // namespace

template <class S>
std::vector<ColumnScales<S>> column_scales(const DataStream<S>& stream) {
  std::vector<ColumnScales<S>> result;
  for (std::size_t i = 0; i < stream.views(); ++i) {
    const ColumnStatistics* columns = stream.statistics(i);
    if (columns == nullptr) return {};
    const Transform<S>& transform = stream.transform(i);
    const auto& kept = transform.kept();
    const Eigen::ArrayXd mean = transform.mean(), scale = transform.scale();
    const Eigen::ArrayXd lowest = columns->min(kept), highest = columns->max(kept);
    const Eigen::ArrayXd shift = Eigen::ArrayXd(columns->mean(kept)) - mean;
    const Eigen::ArrayXd variance = Eigen::ArrayXd(columns->variance(kept)) + shift.square();
    result.push_back({((highest - mean).max(mean - lowest) / scale).matrix().template cast<S>(),
                      (variance / scale.square()).matrix().template cast<S>()});
  }
  return result;
}

template <class S>
PilotEstimate<S> estimate_pilot(InMemorySamples<S>& first, Index rank, std::uint64_t seed,
                                const std::vector<ColumnScales<S>>& scales, Index most_rank,
                                const CancelFlag& cancel) {
  const auto& shapes = first.shapes();
  Communicator& communicator = first.communicator();
  const std::span batches(first.batches());
  const std::size_t sketched =
      batches.size() > 1 ? std::min((3 * batches.size() + 3) / 4, batches.size() - 1) : 1;
  const auto seen = batches.first(sketched),
             unseen = batches.size() > 1 ? batches.subspan(sketched) : batches;

  PilotEstimate<S> pilot;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Index k = std::min({rank > 0 ? rank : std::max<Index>(64, 2 * shapes[i].cols), shapes[i].rows,
                              std::max<Index>(1, first.count() / 4)});
    const BatchesOperator<S> rows(seen, i, first.ridge(i), communicator, cancel);
    const Index n = shapes[i].rows;
    const Vector<S> seen_variance = column_variances<S>(seen, i, communicator);
    Vector<S> scale = Vector<S>::Ones(n), missing = Vector<S>::Zero(n);
    if (!scales.empty()) {
      scale = scales[i].range.cwiseInverse();
      missing = missing_variance<S>(seen_variance, scales[i]);
    }
    const Vector<S> diagonal = (seen_variance + missing).array() + first.ridge(i);
    const CallbackOperator<S> b(n, [&](In<S> x, Out<S> y) {
      rows.apply(x, y);
      y += missing.asDiagonal() * x;
    });
    const SketchOptions options{.rank = k,
                                .trace = static_cast<double>(scale.cwiseAbs2().dot(diagonal)),
                                .most = std::min(most_rank, first.count() / 4),
                                .flat = 1.2,
                                .seed = seed + i};
    pilot.metric.push_back(scaled_sketch<S>(b, scale, options, pilot.rank));
    pilot.noise = std::max(pilot.noise, row_noise<S>(unseen, i, *pilot.metric[i], communicator));

    pilot.start.emplace_back(shapes[i].rows, shapes[i].cols);
    pilot.metric[i]->apply(gaussian<S>(shapes[i].rows, shapes[i].cols, {seed, 0x57a27 + i}), pilot.start[i]);
  }
  if (first.objective().known) {
    // X = -K grad f, which for a quadratic f has nothing outside the range of B, where it would never change.
    Point<S> gradient;
    resize(gradient, shapes);
    first.objective().known(pilot.start, &gradient);
    for (std::size_t i = 0; i < shapes.size(); ++i)
      if (gradient[i].norm() > 0) pilot.metric[i]->apply(-gradient[i], pilot.start[i]);
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const BatchesOperator<S> all(batches, i, first.ridge(i), communicator, cancel);
    Matrix<S>& x = pilot.start[i];
    Matrix<S> y(x.rows(), x.cols()), gram(x.cols(), x.cols());
    all.apply(x, y);
    multiply_at<S>(x, y, gram);
    const Index independent = orthonormalizing_factor<S>(gram).cols();
    if (independent < x.cols())
      throw LowRank(fmt::format("the first {} rows have rank {}, expected at least p = {}", first.count(),
                                independent, x.cols()),
                    i, independent);
    // X <- X D (D X'BX D)^-1/2. Eigenvectors alone have signs that follow rounding: with two views the
    // start, and with it the run, would depend on the order of sums.
    const Vector<S> d = gram.diagonal().cwiseSqrt().cwiseInverse();
    SymmetricEigen<S> eigen;
    eigen.compute(d.asDiagonal() * gram * d.asDiagonal());
    x = (x * d.asDiagonal() * eigen.inverse_root()).eval();
  }
  return pilot;
}

template <class S>
AdaptiveResult<S> solve_adaptively(std::shared_ptr<InMemorySamples<S>> first, std::shared_ptr<Samples<S>> all,
                                   const AdaptiveOptions& options,
                                   std::function<bool(const Progress&, const Point<S>&)> observer,
                                   const std::vector<ColumnScales<S>>& scales, const Checkpoints& checkpoints,
                                   const CancelFlag& cancel) {
  const SerialBlas serial;  // the same result with any number of threads
  const PilotEstimate<S> pilot =
      estimate_pilot(*first, options.rank, options.seed, scales, options.most_rank, cancel);
  const double q = pilot.noise;
  const auto step = [&](double r) { return options.step > 0 ? options.step : stable_step(r, q); };
  const double r = static_cast<double>(options.batch);
  const double momentum = options.momentum.value_or(std::min(0.9, r / (r + 4 * q)));
  const Index rows = first->count();
  const bool warm = options.warm_up > 0 && options.estimator == Estimator::recursive;
  const bool warming = warm && checkpoints.resume.empty();

  std::vector<FieldOptions<S>> fields;
  for (const auto& k : pilot.metric) fields.push_back({Direction::preconditioned, Normal::newton, k});
  const SamplingOptions sampling{.estimator = options.estimator, .batch = options.batch};
  const double fitted = rows < all->count() ? 4 / static_cast<double>(rows) : 0;

  SampledOracle<S> oracle(
      warming ? first : all,
      warming ? SamplingOptions{.estimator = options.estimator, .pass_variance = fitted} : sampling, fields);
  Point<S> x = pilot.start;
  if (warming) {
    const double size = static_cast<double>(first->batch_rows());
    x = solve<S>(oracle, std::move(x),
                 {.step = {.rule = StepRule::fixed, .size = step(size)},
                  .omega = options.omega,
                  .stop = stop::passes(options.warm_up),
                  .cancel = cancel,
                  .history = 0})
            .x;
    oracle.continue_with(all, sampling);
  }
  auto result = solve_with_checkpoints<S>(oracle, std::move(x),
                                          {.step = {.rule = StepRule::fixed,
                                                    .size = step(r),
                                                    .schedule = Schedule::cosine,
                                                    .horizon = options.passes},
                                           .omega = options.omega,
                                           .momentum = momentum,
                                           .stop = stop::passes(options.passes),
                                           .observer = std::move(observer),
                                           .cancel = cancel},
                                          checkpoints, first->communicator());
  AdaptiveRun<S> run{std::move(result), {}, {}};
  if (const auto* mean = oracle.recursive()) {
    run.gradient = mean->gradient();
    run.bx = mean->bx();
  }
  return {std::move(run),
          {.first_rows = rows,
           .rank = pilot.rank,
           .noise = q,
           .step = step(r),
           .momentum = momentum,
           .omega = options.omega,
           .warm_up = warm ? options.warm_up : 0}};
}

template <class S>
Result<S> solve_with_checkpoints(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> options,
                                 const Checkpoints& checkpoints, Communicator& communicator) {
  Solver<S>* running = nullptr;
  const auto state = [&](bool times) {
    StateWriter out;
    running->state(out, times);
    return out.bytes();
  };
  if (checkpoints.due || communicator.size() > 1)
    options.observer = [&, observer = std::move(options.observer)](const Progress& at, const Point<S>& x) {
      const bool due = checkpoints.due && checkpoints.due(), goes_on = !observer || observer(at, x);
      const StepWishes agreed = agree(communicator, {.save = due, .stop = !goes_on}, at);
      if (agreed.save) checkpoints.save(state(true));
      return !agreed.stop;
    };
  Solver<S> solver(oracle, std::move(start), std::move(options));
  running = &solver;
  if (!checkpoints.resume.empty()) {
    StateReader in(checkpoints.resume);
    solver.state(in);
  }
  Result<S> result = solver.solve();
  if (checkpoints.finish) checkpoints.finish(state(false));  // of equal runs the same
  return result;
}

LANDFALL_ADAPTIVE(, float)
LANDFALL_ADAPTIVE(, double)

}  // namespace landfall
