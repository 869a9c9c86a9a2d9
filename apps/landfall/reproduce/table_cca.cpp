// Table 2 of the paper: per-iteration cost, memory and convergence of methods for CCA, claimed and measured.
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <variant>

#include "reproduce/baseline_runs.hpp"
#include "reproduce/figures.hpp"
#include "reproduce/fit.hpp"
#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Row {
  std::string name, stochastic, cost, memory;
  double cost_exponent, memory_exponent;           // in n, claimed
  std::variant<StreamMethod, std::string> method;  // as the paper runs it, or one of the registry
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {name_of(StreamMethod::online), "yes", "O(n p r)", "n (p + r)", 1, 1, StreamMethod::online},
      {name_of(StreamMethod::averaged), "no", "O(n^2 p)", "n^2", 2, 2, StreamMethod::averaged},
      {name_of(StreamMethod::riemannian), "no", "O(n^2 p + p^3)", "n^2", 2, 2, StreamMethod::riemannian},
      {"AppGrad", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "appgrad"},
      {"CCALin (GenELinK)", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "genelink"},
      {"rgCCALin", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "rgccalin"},
      {"LazyCCA", "no", "O(n^2 p + p^2 n)", "n^2", 2, 2, "lazy-cca"},
      {"MSG", "yes", "O(n^3)", "n^2", 3, 2, "msg"}};
  return all;
}

struct Cost {
  double seconds = 0, bytes = 0;  // of an iteration once every row has been seen
};

Cost cost_of(const StreamProblem& problem, StreamMethod method, Index batch) {
  StreamOptions options{.method = method, .eta = 1e-3, .omega = 1, .batch = batch};
  options.every = static_cast<int>((problem.rows() + batch - 1) / batch);
  options.epochs = 4;
  const StreamTrace trace = run_stream(problem, options);
  double least = trace.seconds.back();
  for (std::size_t i = 2; i < trace.seconds.size(); ++i)
    least = std::min(least, (trace.seconds[i] - trace.seconds[i - 1]) / options.every);
  return {least, static_cast<double>(memory_of(problem, options))};
}

Cost cost_of(const StreamProblem& problem, const std::string& baseline, Index batch) {
  const BaselineTrace trace = run_baseline(problem, baseline, {.iterations = 12, .batch = batch});
  return {trace.seconds_per_iteration, trace.bytes};
}

/// The share of the optimum that has been found, against passes over the rows or, where one pass forms the
/// covariances, against iterations.
struct Way {
  Series share{};
  bool by_iterations = false;
};

Way way_of(const StreamProblem& problem, const ReproduceSettings& settings, StreamMethod method) {
  const StreamTrace trace = run_stream(problem, {.method = method,
                                                 .eta = 0.1,
                                                 .epochs = settings.quick ? 5 : 10,
                                                 .every = settings.quick ? 2 : 13,
                                                 .seed = settings.seed});
  Way way;
  for (std::size_t i = 0; i < trace.iteration.size(); ++i) {
    way.share.x.push_back(trace.iteration[i] * 512 / static_cast<double>(problem.rows()));
    way.share.y.push_back(-trace.captured[i] / problem.optimum);
  }
  return way;
}

Way way_of(const StreamProblem& problem, const ReproduceSettings& settings, const std::string& baseline) {
  const BaselineTrace trace = run_baseline(problem, baseline,
                                           {.iterations = settings.quick ? 200U : 2000U,
                                            .passes = settings.quick ? 2. : 4.,
                                            .seed = settings.seed});
  Way way{.by_iterations = !trace.batches};
  way.share.x = trace.iteration;
  way.share.y = trace.share;
  if (trace.batches)
    for (double& x : way.share.x) x *= 512 / static_cast<double>(problem.rows());
  return way;
}

std::string passes_to(const Way& way, double share) {
  for (std::size_t i = 0; i < way.share.x.size(); ++i)
    if (way.share.y[i] >= share)
      return way.by_iterations ? fmt::format("1, and {:.0f} iterations", way.share.x[i])
                               : fmt::format("{:.2g}", way.share.x[i]);
  if (way.share.x.empty()) return "failed";
  return way.by_iterations ? fmt::format("not in {:.0f} iterations", way.share.x.back())
                           : fmt::format("more than {:.2g}", way.share.x.back());
}

}  // namespace

void run_table_cca(const ReproduceSettings& settings, Page& page) {
  const SerialBlas serial;  // so that exponents do not depend on when BLAS begins to use threads
  constexpr Index batch = 128, components = 5;
  const Index smallest = settings.quick ? 64 : 256, largest = settings.quick ? 256 : 1024;
  std::vector<Series> seconds(rows().size()), bytes(rows().size());
  for (Index n = smallest; n <= largest; n *= 2) {
    const StreamProblem problem = planted_problem(n, 16 * batch, components, settings.seed);
    for (std::size_t k = 0; k < rows().size(); ++k) {
      const Cost cost =
          std::visit([&](const auto& method) { return cost_of(problem, method, batch); }, rows()[k].method);
      seconds[k].name = bytes[k].name = rows()[k].name;
      seconds[k].x.push_back(static_cast<double>(n));
      seconds[k].y.push_back(cost.seconds);
      bytes[k].x.push_back(static_cast<double>(n));
      bytes[k].y.push_back(cost.bytes);
    }
  }

  const StreamProblem problem = cca_problem(settings, components, 1);
  page.text = {
      fmt::format(
          "Seconds and bytes are those of planted data with p = {}, r = {} and n columns in each view, "
          "on one thread; exponents are fitted to n = {} to {}. Bytes are what is kept from one iteration "
          "to the next. Passes: {}, r = 512, eta = 0.1, omega = 1, until the sum of the correlations "
          "within the spans of X and Y is 99 % of the exact one; methods that work on covariances read the "
          "rows once to form them, and iterate then.",
          components, batch, smallest, largest, problem.source),
      "The Riemannian method with the covariance of all rows so far stands for those that solve with it. "
      "AppGrad "
      "to MSG are the methods of landfall cca --method, with their own steps and stopping rules; an "
      "iteration of LazyCCA finds one pair."};
  Table table{
      .file = "costs",
      .heading = "Costs",
      .columns = {"method", "stochastic", "claimed cost", "fitted exponent of n", "claimed memory",
                  "fitted exponent of n (memory)", fmt::format("seconds per iteration, n = {}", largest),
                  fmt::format("MiB, n = {}", largest), "passes to 99 %", "share of the optimum at the end"}};
  Chart progress{.file = "captured",
                 .title = "Share of the optimum",
                 .label = "What X and Y capture, against passes, of the methods that take batches.",
                 .x_label = "passes",
                 .y_label = "share of the exact sum"};
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const Row& row = rows()[k];
    const double cost = fitted_exponent(seconds[k].x, seconds[k].y),
                 memory = fitted_exponent(bytes[k].x, bytes[k].y);
    Way way = std::visit([&](const auto& method) { return way_of(problem, settings, method); }, row.method);
    table.rows.push_back(
        {row.name, row.stochastic, row.cost, cost, row.memory, memory, seconds[k].y.back(),
         bytes[k].y.back() / (1 << 20), passes_to(way, 0.99),
         way.share.y.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(way.share.y.back())});
    page.claims.push_back(
        {fmt::format("{}: {} per iteration, memory {}", row.name, row.cost, row.memory),
         fmt::format("exponents of n fitted: cost {:.2f}, memory {:.2f}; claimed at most {:g} and {:g}", cost,
                     memory, row.cost_exponent, row.memory_exponent),
         cost < row.cost_exponent + 0.4 && memory < row.memory_exponent + 0.1});
    if (way.by_iterations) continue;
    way.share.name = row.name;
    progress.series.push_back(std::move(way.share));
  }
  page.charts.push_back({.file = "seconds",
                         .title = "Time of an iteration",
                         .label = "Seconds per iteration against n.",
                         .x_label = "n",
                         .y_label = "seconds",
                         .log_x = true,
                         .log_y = true,
                         .series = seconds});
  page.charts.push_back({.file = "bytes",
                         .title = "Memory",
                         .label = "Bytes kept from one iteration to the next, against n.",
                         .x_label = "n",
                         .y_label = "bytes",
                         .log_x = true,
                         .log_y = true,
                         .series = bytes});
  page.charts.push_back(std::move(progress));
  page.tables.push_back(std::move(table));
}

}  // namespace landfall::app
