// bench_cca FOLDER float|double: CCA of FOLDER/left.npy and right.npy, ridge 1e-3, by several methods on the
// same batches. Each line of standard input is a question; each answer is some lines of keys and values, then
// an empty one. bench/cca.py asks.
//
//   exact P                          the optimum
//   landing P PASSES BATCH SEED      fit_cca as it is; BATCH 0: its default
//   scaled P PASSES BATCH SEED       the same with columns divided by their deviation
//   ey P PASSES BATCH SEED constant|cosine LEARNER...
//                                    CCA-EY, LEARNER being sgd|momentum|adam:halves|whole:RATE; all of them
//                                    see each batch in turn, so that it is read once
//   online P PASSES BATCH SEED STEP  the paper's online landing: no preconditioner, split batches
//
// `sum` is the sum of the canonical correlations within the spans found, from the covariances of all rows in
// double precision: the same measure for everybody, and outside of every clock. A method with a constant rate
// is measured on its way, after 1, 2, 4, 8 and 10 passes.
#include <landfall/baselines/cca_ey.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/parallel/threads.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "timing.hpp"

namespace landfall::bench {
namespace {

constexpr double kRidge = 1e-3;

bool checkpoint(int pass) {
  return pass == 1 || pass == 2 || pass == 4 || pass == 8 || pass == 10;
}

template <class S>
std::vector<SourcePtr<S>> both(const std::filesystem::path& folder) {
  std::vector<SourcePtr<S>> views;
  for (const char* name : {"left.npy", "right.npy"})
    views.push_back(open_source<S>((folder / name).string()));
  return views;
}

/// B_x, B_y and S_xy of all rows.
class Judge {
 public:
  explicit Judge(const std::filesystem::path& folder) {
    DataStream<double> stream(both<double>(folder), {.batch = 1024});
    moments_ = covariances(stream);
    for (std::size_t i = 0; i < 2; ++i) {
      moments_.within[i].diagonal().array() += kRidge;
      kept_[i] = stream.transform(i).kept();
    }
  }

  /// X and Y of the columns that are kept.
  CanonicalMoments moments(const Point<double>& x) const {
    return {x[0].transpose() * moments_.within[0] * x[0], x[1].transpose() * moments_.within[1] * x[1],
            x[0].transpose() * moments_.cross(0, 1) * x[1], moments_.rows};
  }
  template <class S>
  double sum(const Point<S>& x) const {
    try {
      const Point<double> wide{x.at(0).template cast<double>(), x.at(1).template cast<double>()};
      return canonical_rotation(moments(wide), x[0].cols()).correlations.sum();
    } catch (const std::exception&) {  // nothing left of X: a run that diverged
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  /// Weights of all columns.
  template <class S>
  double sum(const CcaResult<S>& result) const {
    Point<S> x;
    for (std::size_t i = 0; i < 2; ++i) x.push_back(result.views[i].weights(kept_[i], Eigen::all));
    return sum(x);
  }
  template <class S>
  double infeasibility(const Point<S>& x) const {
    const auto m = moments({x[0].template cast<double>(), x[1].template cast<double>()});
    const auto off = [](const Matrix<double>& p) {
      return (p - Matrix<double>::Identity(p.rows(), p.cols())).norm();
    };
    return std::max(off(m.left), off(m.right));
  }

 private:
  Covariances<double> moments_;
  std::array<std::vector<Index>, 2> kept_;
};

template <class S>
class Contest {
 public:
  explicit Contest(std::filesystem::path folder) : folder_(std::move(folder)), judge_(folder_) {}

  void answer(std::istream& question) {
    std::string method;
    question >> method >> p_;
    if (method == "exact") return exact();
    question >> passes_ >> batch_ >> seed_;
    if (method == "landing") return landing(false);
    if (method == "scaled") return landing(true);
    if (method == "ey") return ey(question);
    if (method == "online") return online(question);
    throw UsageError("no such question: " + method);
  }

 private:
  CcaResult<S> fit(const CcaOptions& options) const {
    auto views = both<S>(folder_);
    return fit_cca<S>(std::move(views[0]), std::move(views[1]), options);
  }

  void exact() const {
    const auto result = fit({.components = p_, .method = FitMethod::exact, .ridge = kRidge});
    fmt::print("sum {:.10f} own {:.10f} read {:.4f} seconds {:.4f}\n", judge_.sum(result),
               result.correlations.sum(), result.seconds.read, result.seconds.solve);
  }

  void landing(bool scaled) const {
    CcaOptions options{.components = p_,
                       .method = FitMethod::landing,
                       .passes = static_cast<double>(passes_),
                       .batch = batch_,
                       .seed = seed_};
    if (!scaled) options.ridge = kRidge;
    options.transform.scaling = scaled ? Scaling::deviation : Scaling::none;
    const auto result = fit(options);
    fmt::print("sum {:.10f} own {:.10f} infeasibility {:.3e} read {:.4f} seconds {:.4f} batch {}\n",
               scaled ? 0.0 : judge_.sum(result), result.correlations.sum(),
               std::max(result.views[0].infeasibility, result.views[1].infeasibility), result.seconds.read,
               result.seconds.solve, result.batch);
  }

  DataStream<S> stream() const { return {both<S>(folder_), {.batch = batch_, .shuffle = {.seed = seed_}}}; }

  struct Learner {
    std::string name;
    double rate;
    CcaEy<S> method;
    bool alive = true;  // no NaN yet
  };

  Learner learner(const std::string& name) const {
    const auto first = name.find(':'), second = name.rfind(':');
    const std::string optimizer = name.substr(0, first);
    const double rate = std::stod(name.substr(second + 1));
    return {name, rate,
            CcaEy<S>({.components = p_, .learning_rate = rate, .ridge = kRidge, .seed = seed_},
                     {.optimizer = optimizer == "adam" ? Optimizer::adam : Optimizer::sgd,
                      .momentum = optimizer == "momentum" ? 0.9 : 0,
                      .halves = name.substr(first + 1, second - first - 1) == "halves"})};
  }

  void ey(std::istream& question) const {
    std::string schedule, name;
    question >> schedule;
    const bool constant = schedule == "constant";
    const StepOptions steps{.rule = StepRule::fixed,
                            .size = 1,
                            .schedule = constant ? Schedule::constant : Schedule::cosine,
                            .horizon = static_cast<double>(passes_)};
    std::vector<Learner> learners;
    while (question >> name) learners.push_back(learner(name));

    auto stream = this->stream();
    const SerialBlas serial;
    double seconds = 0;
    for (int pass = 0; pass < passes_; ++pass) {
      const auto begin = std::chrono::steady_clock::now();
      double seen = 0;
      stream.begin_pass(static_cast<std::uint64_t>(pass));
      while (stream.next()) {
        const double at = pass + seen / static_cast<double>(stream.statistics(0)->rows);
        const double factor = schedule_factor(steps, 0, at);
        for (Learner& each : learners)
          each.alive = each.alive &&
                       std::isfinite(each.method.step(stream.view(0), stream.view(1), factor * each.rate));
        seen += static_cast<double>(stream.view(0).rows());
      }
      seconds += seconds_since(begin);
      if (pass + 1 == passes_ || (constant && checkpoint(pass + 1)))
        for (const Learner& each : learners)
          fmt::print("learner {} passes {} sum {:.10f} seconds {:.4f}\n", each.name, pass + 1,
                     judge_.sum(each.method.x()), seconds);
    }
  }

  void online(std::istream& question) const {
    double size = 0;
    question >> size;
    auto stream = this->stream();
    const auto samples = std::make_shared<StreamSamples<S>>(
        stream, std::vector<Index>{p_, p_}, std::vector<S>{S(kRidge), S(kRidge)}, correlation_objective<S>(),
        stream.statistics(0)->rows);
    const SerialBlas serial;
    const FieldOptions<S> field{.direction = Direction::metric, .normal = Normal::gradient};
    SampledOracle<S> oracle(samples, {.estimator = Estimator::split, .batch = batch_}, {field, field});
    Point<S> start;
    for (std::size_t i = 0; i < 2; ++i)
      start.push_back(gaussian<S>(samples->shapes()[i].rows, p_, {seed_, 0x57a27 + i}));
    std::vector<std::pair<Progress, Point<S>>> seen;
    int pass = 1;
    SolverOptions<S> options;
    options.step.rule = StepRule::fixed;
    options.step.size = size;
    options.omega = 1;
    options.trust = std::numeric_limits<double>::max();  // the paper has none
    options.stop = stop::passes(passes_);
    options.observer = [&](const Progress& progress, const Point<S>& x) {
      if (progress.passes < pass - 1e-9) return true;
      if (pass < passes_ && checkpoint(pass)) seen.emplace_back(progress, x);
      ++pass;
      return true;
    };
    options.history = 0;
    auto result = solve<S>(oracle, std::move(start), std::move(options));
    if (result.termination == Termination::pass_limit)
      seen.emplace_back(result.progress, std::move(result.x));
    for (const auto& [progress, x] : seen)
      fmt::print("passes {:.0f} sum {:.10f} infeasibility {:.3e} seconds {:.4f}\n", progress.passes,
                 judge_.sum(x), judge_.infeasibility(x), progress.seconds);
  }

  std::filesystem::path folder_;
  Judge judge_;
  Index p_ = 1, batch_ = 0;
  int passes_ = 1;
  std::uint64_t seed_ = 0;
};

template <class S>
void run(const std::filesystem::path& folder) {
  Contest<S> contest(folder);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream question(line);
    try {
      contest.answer(question);
    } catch (const NumericalError& error) {
      fmt::print(stderr, "{}: {}\n", line, error.what());
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace landfall::bench

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "bench_cca FOLDER float|double\n");
    return 2;
  }
  std::string(arguments[2]) == "float" ? landfall::bench::run<float>(arguments[1])
                                       : landfall::bench::run<double>(arguments[1]);
}
