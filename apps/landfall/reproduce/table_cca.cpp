// Table 2 of the paper: per-iteration cost, memory and convergence of methods for CCA, claimed and measured.
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/fit.hpp"
#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Row {
  std::string name, stochastic, cost, memory;
  double cost_exponent, memory_exponent;  // in n, claimed
  std::string method;                     // of the registry
  bool paper = false;                     // with the step and the start of the paper, else with its own
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {paper_methods[0].label, "yes", "O(n p r)", "n (p + r)", 1, 1, paper_methods[0].method, true},
      {paper_methods[1].label, "no", "O(n^2 p)", "n^2", 2, 2, paper_methods[1].method, true},
      {paper_methods[2].label, "no", "O(n^2 p + p^3)", "n^2", 2, 2, paper_methods[2].method, true},
      {"AppGrad", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "appgrad"},
      {"CCALin (GenELinK)", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "genelink"},
      {"rgCCALin", "no", "O(n^2 p + p^3)", "n^2", 2, 2, "rgccalin"},
      {"LazyCCA", "no", "O(n^2 p + p^2 n)", "n^2", 2, 2, "lazy-cca"},
      {"MSG", "yes", "O(n^3)", "n^2", 3, 2, "msg"}};
  return all;
}

StreamRun run_of(const Row& row, double eta) {
  if (!row.paper) return {.method = row.method, .shuffle = true};
  return {.method = row.method,
          .eta = eta,
          .omega = 1,
          .milestones = std::vector<double>{},
          .start = Start::first_batch};
}

struct Cost {
  double seconds = 0, bytes = 0;  // of an iteration; of the paper's methods once every row has been seen
};

Cost cost_of(const StreamProblem& problem, const Row& row, Index batch) {
  StreamRun run = run_of(row, 1e-3);
  run.batch = batch;
  const double per_pass = std::ceil(static_cast<double>(problem.rows()) / static_cast<double>(batch));
  run.passes = row.paper ? 4 : 1;
  run.iterations = row.paper ? 1'000'000 : 12;
  const StreamTrace trace = run_stream(problem, run);
  return {trace.seconds_per_iteration(row.paper ? per_pass : 1), trace.bytes};
}

/// The share of the optimum that has been found, against passes over the rows or, where one pass forms the
/// covariances, against iterations.
struct Way {
  Series share{};
  bool by_iterations = false;
};

Way way_of(const StreamProblem& problem, const ReproduceSettings& settings, const Row& row) {
  StreamRun run = run_of(row, 0.1);
  run.seed = settings.seed;
  run.passes = row.paper ? (settings.quick ? 5 : 10) : (settings.quick ? 2 : 4);
  run.every = !row.paper ? 1 : settings.quick ? 2 : 13;
  if (!row.paper) run.iterations = settings.quick ? 200 : 2000;
  const StreamTrace trace = run_stream(problem, run);
  Way way{.by_iterations = !trace.batches};
  for (std::size_t i = 0; i < trace.iteration.size(); ++i) {
    const double rows = trace.iteration[i] * static_cast<double>(run.batch);
    way.share.x.push_back(way.by_iterations ? trace.iteration[i]
                                            : rows / static_cast<double>(problem.rows()));
    way.share.y.push_back(-trace.captured[i] / problem.optimum);
  }
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
      const Cost cost = cost_of(problem, rows()[k], batch);
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
          "rows once to form them and then iterate.",
          components, batch, smallest, largest, problem.source),
      "All are methods of landfall cca --method: online landing is landing-released, averaged landing "
      "landing-averaged (which also keeps the rows), and rgd-rolling stands for the Riemannian methods that "
      "solve with the covariance of all rows so far. AppGrad to MSG have their own steps and stopping rules; "
      "an iteration of LazyCCA finds one pair."};
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
    Way way = way_of(problem, settings, row);
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
