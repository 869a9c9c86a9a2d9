#include "reproduce/stream_runs.hpp"

#include <landfall/baselines/registry.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/linalg/contrast_loops.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/models/ica/amari.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <malloc.h>

namespace landfall::app {
namespace {

double allocated_bytes() {
  const auto now = ::mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

Point<float> start_of(const StreamProblem& problem, const StreamRun& run) {
  Point<float> start;
  for (std::size_t k = 0; k < problem.data.size() && run.start != Start::own; ++k) {
    const Index n = problem.data[k].rows(), p = problem.components;
    RowMatrix<float> first = problem.data[k].leftCols(std::min(run.batch, problem.rows())).transpose();
    if (run.start == Start::first_batch_raw) first.rowwise() += problem.mean[k].transpose();
    const GramOperator<float> b(std::move(first), problem.ridge);
    start.push_back(
        retract_polar<float>(b, gaussian<float>(n, p, {run.seed, 11 + k}), Matrix<float>::Zero(n, p)));
  }
  return start;
}

/// X and Y of CCA, where a method may have both in one matrix.
Point<float> blocks_of(const StreamProblem& problem, const Point<float>& x) {
  if (x.size() == problem.data.size() || x.empty()) return x;
  const Index left = problem.data[0].rows();
  return {x[0].topRows(left), x[0].bottomRows(x[0].rows() - left)};
}

/// The sum of the p largest canonical correlations within the spans of X and Y; 0 where a span has lost a dimension.
double captured(const StreamProblem& problem, const Point<float>& xy) {
  std::vector<Matrix<double>> root;
  for (std::size_t k = 0; k < 2; ++k) {
    SymmetricEigen<double> metric;
    metric.compute((xy[k].transpose() * problem.b[k] * xy[k]).cast<double>());
    if (!(metric.values()(0) > 1e-6)) return 0;
    root.push_back(metric.inverse_root());
  }
  const Matrix<double> cross = (xy[0].transpose() * problem.cross * xy[1]).cast<double>();
  const Vector<double> found = singular_values<double>(root[0] * cross * root[1]);
  return found.head(std::min(found.size(), problem.components)).sum();
}

double distance(const StreamProblem& problem, const Point<float>& x) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Matrix<double> metric = (x[k].transpose() * problem.b[k] * x[k]).cast<double>();
    sum += (metric - Matrix<double>::Identity(metric.rows(), metric.cols())).norm();
  }
  return sum;
}

double objective(const StreamProblem& problem, const Point<float>& x) {
  if (problem.cca()) return -static_cast<double>((x[0].transpose() * problem.cross * x[1]).trace());
  Matrix<float> scores(problem.rows(), x[0].cols()), slopes(problem.rows(), x[0].cols());
  multiply_at<float>(problem.data[0], x[0], scores);
  return logcosh_loop(scores.data(), scores.size(), 1.0F, slopes.data()).value /
         static_cast<double>(problem.rows());
}

class StreamRecorder {
 public:
  StreamRecorder(const StreamProblem& problem, const StreamRun& run) : problem_(problem), run_(run) {}

  /// The last entry is replaced where it is of the same iteration. False where the run has diverged.
  bool add(std::uint64_t iteration, double seconds, const Point<float>& point) {
    const Point<float> x = blocks_of(problem_, point);
    const double away = distance(problem_, x);
    if (!std::isfinite(away) || (run_.eta > 0 && away > 1e3)) {
      trace.diverged = true;
      return false;
    }
    if (!trace.iteration.empty() && trace.iteration.back() == static_cast<double>(iteration))
      for (auto* values : {&trace.iteration, &trace.seconds, &trace.distance, &trace.objective,
                           &trace.captured, &trace.amari})
        if (!values->empty()) values->pop_back();
    trace.iteration.push_back(static_cast<double>(iteration));
    trace.seconds.push_back(seconds);
    trace.distance.push_back(away);
    trace.objective.push_back(x.empty() ? 0 : objective(problem_, x));
    if (problem_.cca())
      trace.captured.push_back(x.empty() ? 0 : captured(problem_, x));
    else
      trace.amari.push_back(amari_distance(x[0].transpose().cast<double>(), problem_.mixing));
    return true;
  }

  StreamTrace trace{};

 private:
  const StreamProblem& problem_;
  const StreamRun& run_;
};

Result<float> solve_on(const StreamProblem& problem, const Baseline& baseline, const StreamRun& run,
                       const BaselineOptions<float>& options) {
  const auto& by_batches = problem.cca() ? baseline.stream : baseline.mixtures;
  if (!by_batches)
    return solve_baseline<float>(baseline, std::make_shared<HeldProducts<float>>(problem.b, problem.cross),
                                 options);
  std::vector<SourcePtr<float>> views;
  for (const Matrix<float>& data : problem.data)
    views.push_back(
        std::make_unique<MemorySource<float>>(data.data(), data.cols(), data.rows(), data.rows()));
  DataStream<float> stream(std::move(views),
                           {.batch = run.batch,
                            .shuffle = {.seed = run.seed, .window = run.shuffle ? 0 : 1},  // 1: no shuffling
                            .transform = {.centring = Centring::none}});
  return by_batches.get<float>()(stream, options);
}

}  // namespace

double StreamTrace::at(const std::vector<double>& values, double passes, double iterations_per_pass) const {
  for (std::size_t i = 0; i < iteration.size(); ++i)
    if (iteration[i] >= passes * iterations_per_pass) return values[i];
  return values.back();
}

double StreamTrace::seconds_per_iteration(double first) const {
  std::vector<double> each;
  for (std::size_t i = 1; i < iteration.size(); ++i)
    if (iteration[i] > first)
      each.push_back((seconds[i] - seconds[i - 1]) / (iteration[i] - iteration[i - 1]));
  if (each.empty()) return 0;
  const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
  std::nth_element(each.begin(), middle, each.end());
  return *middle;
}

StreamTrace run_stream(const StreamProblem& problem, const StreamRun& run) {
  const Baseline& baseline = find_baseline(run.method, problem.cca() ? Problem::cca : Problem::ica);
  StreamRecorder recorder(problem, run);
  recorder.trace.batches = static_cast<bool>(problem.cca() ? baseline.stream : baseline.mixtures);
  const double before = allocated_bytes(), ridge = static_cast<double>(problem.ridge);
  const BaselineOptions<float> options{
      .components = problem.components,
      .ridge = {ridge, ridge},
      .step = run.method == "landing-released" ? 2 * run.eta : run.eta,  // it takes half of the field
      .omega = run.omega,
      .milestones = run.milestones,
      .start = start_of(problem, run),
      .passes = run.passes,
      .iterations = run.iterations,
      .seed = run.seed,
      .observer = [&](const Progress& now, const Point<float>& x) {
        recorder.trace.bytes = std::max(recorder.trace.bytes, allocated_bytes() - before);
        if (now.iteration % run.every == 0 && !recorder.add(now.iteration, now.seconds, x)) return false;
        return now.iteration < run.iterations;
      }};
  if (!options.start.empty()) recorder.add(0, 0, options.start);
  const Result<float> result = solve_on(problem, baseline, run, options);
  if (result.termination == Termination::diverged) recorder.trace.diverged = true;
  if (!recorder.trace.diverged) recorder.add(result.progress.iteration, result.progress.seconds, result.x);
  return std::move(recorder.trace);
}

}  // namespace landfall::app
