#include <landfall/errors.hpp>
#include <landfall/landing/restore.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/manifold/safe_step.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace landfall {
namespace {

constexpr std::array<std::pair<Estimator, std::string_view>, 6> kEstimators{
    {{Estimator::shared, "shared"},
     {Estimator::split, "split"},
     {Estimator::ustat, "ustat"},
     {Estimator::svrg, "svrg"},
     {Estimator::averaged, "averaged"},
     {Estimator::recursive, "recursive"}}};

}  // namespace

std::string_view to_string(Estimator estimator) {
  for (const auto& [value, name] : kEstimators)
    if (value == estimator) return name;
  return "unknown";
}

Estimator parse_estimator(std::string_view name) {
  for (const auto& [value, known] : kEstimators)
    if (known == name) return value;
  throw UsageError(fmt::format(
      "unknown estimator '{}'; expected shared, split, ustat, svrg, averaged or recursive", name));
}

template <class S>
SampledOracle<S>::SampledOracle(std::shared_ptr<Samples<S>> samples, SamplingOptions options,
                                std::vector<FieldOptions<S>> fields)
    : samples_(std::move(samples)), options_(options), fields_(std::move(fields)) {
  if (!samples_) throw UsageError("a sampled oracle needs samples");
  const auto& shapes = samples_->shapes();
  if (fields_.size() != shapes.size())
    throw UsageError(fmt::format("{} field options for {} blocks", fields_.size(), shapes.size()));
  for (const auto& field : fields_) {
    kernels_.emplace_back(field);
    if (field.direction == Direction::riemannian || field.direction == Direction::euclidean)
      throw UsageError(
          "sampled problems need the metric or preconditioned direction: the others have no unbiased "
          "estimate");
  }

  check_options();

  for (Point<S>* point :
       {&g1_, &y1_, &g2_, &y2_, &other_, &snapshot_, &snapshot_g_, &snapshot_y_, &difference_}) {
    point->resize(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) (*point)[i].setZero(shapes[i].rows, shapes[i].cols);
  }
  if (options_.estimator == Estimator::averaged) {
    Index n = 0;
    for (const auto& shape : shapes) n += shape.rows;
    moments_.setZero(n, n);
  }
  if (options_.estimator == Estimator::recursive) recursive_.emplace(shapes);
  estimate_scales();
  begin_pass(0);
}

template <class S>
void SampledOracle<S>::check_options() {
  if (options_.batch < 1) throw UsageError(fmt::format("batch must be at least 1, got {}", options_.batch));
  const bool linear = samples_->linear() != nullptr;
  if (options_.estimator == Estimator::split) least_ = linear ? 4 : 3;
  if (options_.estimator == Estimator::ustat) least_ = 3;
  if ((options_.estimator == Estimator::ustat || options_.estimator == Estimator::averaged) && !linear)
    throw UsageError(
        fmt::format("the {} estimator needs linear samples: B_i = a_i a_i' and grad f_i = a_i b_i'",
                    to_string(options_.estimator)));
  if (options_.estimator == Estimator::ustat && samples_->communicator().size() > 1)
    throw UsageError(
        fmt::format("the ustat estimator pairs every sample with every other and needs one rank, got {}",
                    samples_->communicator().size()));
  const Index most = std::min(options_.batch, samples_->count());
  if (most < least_)
    throw UsageError(fmt::format("the {} estimator needs batches of at least {}, got {}",
                                 to_string(options_.estimator), least_, most));
}

template <class S>
void SampledOracle<S>::continue_with(std::shared_ptr<Samples<S>> samples, SamplingOptions options) {
  const auto same = [](const Shape& a, const Shape& b) { return a.rows == b.rows && a.cols == b.cols; };
  if (!samples || !std::ranges::equal(samples->shapes(), shapes(), same) ||
      options.estimator != options_.estimator)
    throw UsageError("a run goes on with samples of the same shapes and by the same estimator");
  if (recursive_) recursive_->end_pass(options_.pass_variance);
  samples_ = std::move(samples);
  options_ = options;
  check_options();
  begin_pass(0);
  seen_ = 0;
  next_snapshot_ = 0;
}

/// beta_1 of each B for the normal term 2BXH, by a block power iteration on the first batch; 2XH needs none.
template <class S>
void SampledOracle<S>::estimate_scales() {
  scales_.assign(fields_.size(), 1.0);
  if (std::all_of(fields_.begin(), fields_.end(), [](const auto& f) { return f.normal == Normal::newton; }))
    return;
  constexpr int iterations = 20;
  samples_->begin_pass(0);
  const Index rows = samples_->draw(std::max<Index>(options_.batch, 512));
  for (std::size_t i = 0; i < fields_.size(); ++i)
    other_[i] = gaussian<S>(other_[i].rows(), other_[i].cols(), {0, 0xbe7a + i});
  for (int k = 0; k < iterations; ++k) {
    for (auto& block : other_)
      for (Index j = 0; j < block.cols(); ++j) block.col(j).normalize();
    evaluate(0, rows, other_, nullptr, &y1_);
    std::swap(other_, y1_);
  }
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].normal == Normal::gradient)
      scales_[i] = static_cast<double>(other_[i].colwise().norm().maxCoeff());
}

template <class S>
double SampledOracle<S>::evaluate(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                                  Point<S>* bx) {
  if (gradient) ++counts_.gradients;
  if (bx) counts_.products += x.size();
  return samples_->evaluate(first, last, x, gradient, bx);
}

template <class S>
void SampledOracle<S>::begin_pass(std::uint64_t pass) {
  samples_->begin_pass(pass_ = pass);
  drawn_ = 0;
}

template <class S>
Index SampledOracle<S>::draw() {
  for (;;) {
    const Index rows = samples_->draw(options_.batch);
    ++drawn_;
    seen_ += rows;
    if (rows >= least_) return rows;
    if (rows > 0) continue;
    if (recursive_) recursive_->end_pass(options_.pass_variance);
    begin_pass(pass_ + 1);
  }
}

template <class S>
void SampledOracle<S>::take_snapshot(const Point<S>& x) {
  snapshot_ = x;
  for (auto* point : {&snapshot_g_, &snapshot_y_})
    for (auto& block : *point) block.setZero();
  begin_pass(pass_ + 1);
  const S total = static_cast<S>(samples_->count());
  while (const Index rows = samples_->draw(options_.batch)) {
    evaluate(0, rows, x, &g1_, &y1_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      snapshot_g_[i] += static_cast<S>(rows) / total * g1_[i];
      snapshot_y_[i] += static_cast<S>(rows) / total * y1_[i];
    }
  }
  seen_ += samples_->count();
  begin_pass(pass_ + 1);
}

template <class S>
void SampledOracle<S>::absorb_batch(Index rows) {
  // Every sample once: the moments are those of the whole data after the first pass. Each rank keeps those of
  // its own samples.
  const LinearSamples<S>& linear = *samples_->linear();
  Index row = 0;
  for (std::size_t i = 0; i < fields_.size() && linear.batch(0).cols() > 0; ++i) {
    Index col = 0;
    for (std::size_t j = 0; j < fields_.size(); ++j) {
      const auto &left = linear.batch(i), &right = linear.batch(j);
      multiply_bt<S>(left, right, moments_.block(row, col, left.rows(), right.rows()), 1, 1);
      col += right.rows();
    }
    row += linear.batch(i).rows();
  }
  absorbed_ += rows;
}

template <class S>
void SampledOracle<S>::averaged_products(const Point<S>& x, Index rows, FieldValue<S>& out) {
  const LinearSamples<S>& linear = *samples_->linear();
  if (absorbed_ < samples_->count()) absorb_batch(rows);
  const Matrix<S>& coupling = linear.objective().coupling;
  out.objective = evaluate(0, rows, x, &g1_, nullptr);
  counts_.products += x.size();
  const S scale = S(1) / static_cast<S>(absorbed_);
  Index row = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y1_[i] = linear.own_ridge(i) * x[i];
    if (coupling.size() > 0) g1_[i].setZero();
    Index col = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto moment = moments_.block(row, col, x[i].rows(), x[j].rows());
      if (i == j) multiply<S>(moment, x[j], y1_[i], scale, 1);
      if (coupling.size() > 0 && coupling(static_cast<Index>(i), static_cast<Index>(j)) != 0)
        multiply<S>(moment, x[j], g1_[i], scale * coupling(static_cast<Index>(i), static_cast<Index>(j)), 1);
      col += x[j].rows();
    }
    row += x[i].rows();
  }
  reduce(linear.communicator(), y1_);
  if (coupling.size() > 0) reduce(linear.communicator(), g1_);
}

/// ||X - X_last|| / ||X|| in the metric of K^-1, where ||X|| is about sqrt(p); the largest over the blocks.
template <class S>
double SampledOracle<S>::relative_move(const Point<S>& x) {
  if (recursive_->empty()) return 0;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference_[i] = x[i] - recursive_->previous()[i];
    const double size = metric_norm<S>(metric(i), difference_[i], work_);
    const double scale =
        metric(i) ? std::sqrt(static_cast<double>(x[i].cols())) : static_cast<double>(x[i].stableNorm());
    if (scale > 0) largest = std::max(largest, size / scale);
  }
  return largest;
}

template <class S>
void SampledOracle<S>::field(const Point<S>& x, const Pull& pull, FieldValue<S>& out) {
  if (options_.estimator == Estimator::svrg && passes() >= next_snapshot_) {
    take_snapshot(x);
    next_snapshot_ = passes() + options_.snapshot_every;
  }
  const Index rows = draw();

  resize(out.lambda, shapes());
  out.omega = 0;
  double infeasibility = 0, stationarity = 0;
  const auto omega = [&](std::size_t i) { return static_cast<S>(pull.weight(scales_[i])); };
  const auto note = [&](std::size_t i, const Matrix<S>& residual, double tangent, double scale) {
    out.omega = std::max(out.omega, pull.weight(scales_[i]));
    infeasibility += static_cast<double>(residual.squaredNorm());
    if (scale > 0) stationarity += std::pow(tangent / scale, 2);
  };
  const auto apply = [&](std::size_t i, const Matrix<S>& g, const Matrix<S>& y1, const Matrix<S>& y2,
                         Matrix<S>& lambda) {
    kernels_[i](x[i], g, y1, y2, omega(i), lambda);
    note(i, kernels_[i].residual(), static_cast<double>(kernels_[i].tangent_norm()),
         static_cast<double>(kernels_[i].tangent_scale()));
  };
  // G and Y1 from the same m linear samples: a sample that meets itself is symmetric and vanishes under skew,
  // which leaves m(m-1) of the m^2 pairs. Psi is linear in Y1, so its data part is scaled by m/(m-1); H is
  // not.
  const auto apply_sharing = [&](std::size_t i, Index m, const Matrix<S>& g, const Matrix<S>& y1,
                                 const Matrix<S>& y2, Matrix<S>& lambda) {
    const S scale = static_cast<S>(m) / static_cast<S>(m - 1);
    difference_[i] = scale * y1 + (1 - scale) * samples_->linear()->ridge(i) * x[i];
    kernels_[i](x[i], g, difference_[i], y2, 0, lambda);
    kernels_[i].measure(x[i], y1);
    kernels_[i].add_normal(x[i], y2, omega(i), lambda);
    note(i, kernels_[i].residual(), static_cast<double>(kernels_[i].tangent_norm()),
         static_cast<double>(kernels_[i].tangent_scale()));
  };

  switch (options_.estimator) {
    case Estimator::shared:
      out.objective = evaluate(0, rows, x, &g1_, &y1_);
      for (std::size_t i = 0; i < x.size(); ++i) apply(i, g1_[i], y1_[i], y1_[i], out.lambda[i]);
      break;

    case Estimator::split:
      if (samples_->linear()) {
        const Index half = rows / 2;
        const double f1 = evaluate(0, half, x, &g1_, &y1_), f2 = evaluate(half, rows, x, &g2_, &y2_);
        out.objective = (f1 + f2) / 2;
        for (std::size_t i = 0; i < x.size(); ++i) {
          apply_sharing(i, half, g1_[i], y1_[i], y2_[i], out.lambda[i]);
          apply_sharing(i, rows - half, g2_[i], y2_[i], y1_[i], other_[i]);
          out.lambda[i] = (out.lambda[i] + other_[i]) / 2;
        }
      } else {
        const Index third = rows / 3;
        evaluate(0, third, x, nullptr, &y1_);
        evaluate(third, 2 * third, x, nullptr, &y2_);
        out.objective = evaluate(2 * third, rows, x, &g1_, nullptr);
        for (std::size_t i = 0; i < x.size(); ++i) {
          apply(i, g1_[i], y1_[i], y2_[i], out.lambda[i]);
          apply(i, g1_[i], y2_[i], y1_[i], other_[i]);
          out.lambda[i] = (out.lambda[i] + other_[i]) / 2;
        }
      }
      infeasibility /= 2;
      stationarity /= 2;
      break;

    case Estimator::ustat: {
      LinearSamples<S>& linear = *samples_->linear();
      out.objective = linear.project(0, rows, x);
      ++counts_.gradients;
      counts_.products += x.size();
      for (std::size_t i = 0; i < x.size(); ++i) {
        ustatistic_(linear, x, i, fields_[i].preconditioner.get(), fields_[i].normal, omega(i),
                    out.lambda[i]);
        note(i, ustatistic_.residual(), 0, 0);
      }
      break;
    }

    case Estimator::svrg:
      for (std::size_t i = 0; i < x.size(); ++i) difference_[i] = x[i] - snapshot_[i];
      out.objective = evaluate(0, rows, x, &g1_, nullptr);
      evaluate(0, rows, snapshot_, &g2_, nullptr);
      evaluate(0, rows, difference_, nullptr, &y1_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        g1_[i] += snapshot_g_[i] - g2_[i];
        y1_[i] += snapshot_y_[i];
        apply(i, g1_[i], y1_[i], y1_[i], out.lambda[i]);
      }
      break;

    case Estimator::averaged:
      averaged_products(x, rows, out);
      for (std::size_t i = 0; i < x.size(); ++i) apply(i, g1_[i], y1_[i], y1_[i], out.lambda[i]);
      break;

    case Estimator::recursive:
      out.objective = recursive_->add(*samples_, rows, x, relative_move(x));
      counts_.gradients += 2;
      counts_.products += 2 * x.size();
      for (std::size_t i = 0; i < x.size(); ++i)
        apply(i, recursive_->gradient()[i], recursive_->bx()[i], recursive_->bx()[i], out.lambda[i]);
      break;
  }
  out.infeasibility = std::sqrt(infeasibility);
  out.stationarity = std::sqrt(stationarity);
}

template <class S>
Restoration SampledOracle<S>::restore(Point<S>& x, double epsilon) {
  // On one batch, several times p so that its X'BX resembles the true one; the passes start afresh
  // afterwards.
  if (recursive_ && !recursive_->empty()) return {};  // a run that goes on
  Index components = 0;
  for (const auto& block : x) components = std::max(components, block.cols());
  samples_->begin_pass(0);
  const Index rows = samples_->draw(std::max(options_.batch, 20 * components));
  // A batch cannot tell less from the identity: for Gaussian data E||H||^2 = p(p+1)/r at a feasible X.
  const double p = static_cast<double>(components),
               noise = 3 * std::sqrt(p * (p + 1) / static_cast<double>(rows));
  Restoration total;
  const double share = std::max(epsilon / std::sqrt(static_cast<double>(x.size())), noise);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Point<S> at = x;  // restore() runs once, before the first step
    const auto done = restore_stiefel<S>(x[i], share, [&](const Matrix<S>& block, Matrix<S>& y) {
      at[i] = block;
      evaluate(0, rows, at, nullptr, &y1_);
      y = y1_[i];
    });
    total.steps = std::max(total.steps, done.steps);
    total.from = std::hypot(total.from, done.from);
    total.to = std::hypot(total.to, done.to);
    total.noise = std::hypot(total.noise, noise);
  }
  begin_pass(0);
  seen_ = 0;
  return total;
}

template <class S>
void SampledOracle<S>::state(State& state) {
  state(pass_, seen_, drawn_, counts_.products, counts_.gradients);
  if (recursive_) recursive_->state(state);
  if (options_.estimator == Estimator::svrg) state(snapshot_, snapshot_g_, snapshot_y_, next_snapshot_);
  if (options_.estimator == Estimator::averaged) state(moments_, absorbed_);
  if (!state.loading()) return;
  samples_->begin_pass(pass_);
  for (Index i = 0; i < drawn_; ++i) samples_->draw(options_.batch);
}

template class SampledOracle<float>;
template class SampledOracle<double>;

}  // namespace landfall
