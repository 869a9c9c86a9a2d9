#include <landfall/baselines/pencil_run.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/retraction.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {
constexpr std::uint64_t kPatience = 2000;
constexpr std::size_t kHistory = 2048;
}  // namespace

template <class S>
PencilRun<S>::PencilRun(const SymmetricOperator<S>& b, const BaselineOptions<S>& options, bool feasible)
    : b_(b),
      options_(options),
      feasible_(feasible),
      tolerance_(options.tolerance > 0      ? options.tolerance
                 : std::is_same_v<S, float> ? 1e-4
                                            : 1e-7),
      limit_(options.iterations > 0 ? options.iterations : 20000) {
  if (options.components < 1 || options.components > b.size())
    throw UsageError(fmt::format("{} components requested for {} columns", options.components, b.size()));
}

template <class S>
Matrix<S> PencilRun<S>::start(Index columns) const {
  const Index p = columns > 0 ? columns : options_.components;
  if (!options_.start.empty() && p == options_.components) {
    const Matrix<S>& given = options_.start[0];
    if (options_.start.size() != 1 || given.rows() != b_.size() || given.cols() != p)
      throw UsageError(fmt::format("the start has {} blocks, the first {}x{}; expected one of {}x{}",
                                   options_.start.size(), given.rows(), given.cols(), b_.size(), p));
    return given;
  }
  return orthonormalize<S>(b_, gaussian<S>(b_.size(), p, {options_.seed, 0x57a7}));
}

template <class S>
PencilRun<S>::Pause::Pause(PencilRun& paused) : run(paused), from(Clock::now()) {
  run.result_.progress.seconds = std::chrono::duration<double>(from - run.began_).count();
}

template <class S>
bool PencilRun<S>::goes_on(In<S> x, In<S> g, In<S> y, double objective, double step) {
  const Pause pause(*this);
  return compare(x, g, y, objective, step);
}

template <class S>
bool PencilRun<S>::goes_on(In<S> x, In<S> g, double objective, double step) {
  const Pause pause(*this);
  Matrix<S> y(x.rows(), x.cols());
  b_.apply(x, y);
  return compare(x, g, y, objective, step);
}

template <class S>
bool PencilRun<S>::goes_on(double residual, double infeasibility, double objective, double step,
                           const Point<S>& x) {
  const Pause pause(*this);
  return record(residual, infeasibility, objective, step, x);
}

template <class S>
bool PencilRun<S>::compare(In<S> x, In<S> g, In<S> y, double objective, double step) {
  Matrix<S> metric(x.cols(), x.cols()), slope = metric, difference = g;
  multiply_at<S>(x, y, metric);
  multiply_at<S>(x, g, slope);
  multiply<S>(y, solve_square<S>(metric, (slope + slope.transpose()) / 2), difference, -1, 1);
  const S size = g.norm();
  const double residual = static_cast<double>(size > 0 ? difference.norm() / size : S(0));
  const S infeasibility = (metric - Matrix<S>::Identity(x.cols(), x.cols())).norm();
  return record(residual, static_cast<double>(infeasibility), objective, step,
                options_.observer ? Point<S>{x} : Point<S>{});
}

template <class S>
bool PencilRun<S>::record(double residual, double infeasibility, double objective, double step,
                          const Point<S>& x) {
  Progress& now = result_.progress;
  now.objective = objective;
  now.infeasibility = infeasibility;
  now.stationarity = residual;
  now.step = step;
  if (now.iteration % record_every_ == 0) {
    result_.history.push_back(now);
    if (result_.history.size() == kHistory) {
      std::erase_if(result_.history,
                    [&](const Progress& one) { return one.iteration % (2 * record_every_) != 0; });
      record_every_ *= 2;
    }
  }
  if (!std::isfinite(residual) || !std::isfinite(infeasibility)) {
    result_.termination = Termination::diverged;
    return false;
  }
  const double merit = residual + (feasible_ ? infeasibility : 0);
  if (merit < 0.99 * best_) {
    best_ = merit;
    best_at_ = now.iteration;
  }
  if (residual <= tolerance_ && (!feasible_ || infeasibility <= 100 * tolerance_))
    result_.termination = Termination::converged;
  else if (now.iteration >= limit_)
    result_.termination = Termination::iteration_limit;
  else if (now.iteration - best_at_ >= kPatience)
    result_.termination = Termination::no_progress;
  else if (options_.observer && !options_.observer(now, x))
    result_.termination = Termination::stopped;
  if (result_.termination != Termination::running) return false;
  ++now.iteration;
  return true;
}

template <class S>
Result<S> PencilRun<S>::finish(Point<S> x) {
  result_.x = std::move(x);
  return std::move(result_);
}

template class PencilRun<float>;
template class PencilRun<double>;

}  // namespace landfall
