// Table 2 of the paper: per-iteration cost, memory and convergence of methods for CCA, claimed and measured.
#include <landfall/data/memory_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/cca.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <array>
#include <memory>

#include "reproduce/figures.hpp"
#include "reproduce/fit.hpp"
#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Row {
  StreamMethod method = StreamMethod::online;
  std::string stochastic, cost, memory;
  double cost_exponent = 1;  // in n, claimed; that of the memory is the same
};

/// Of an iteration once every row has been seen.
double seconds_per_iteration(const StreamProblem& problem, StreamOptions options) {
  options.every = static_cast<int>((problem.rows() + options.batch - 1) / options.batch);
  options.epochs = 4;
  const StreamTrace trace = run_stream(problem, options);
  double least = trace.seconds.back();
  for (std::size_t i = 2; i < trace.seconds.size(); ++i)
    least = std::min(least, (trace.seconds[i] - trace.seconds[i - 1]) / options.every);
  return least;
}

/// The other rows of the paper's table, by the methods that landfall cca has under --method.
Table other_methods(const StreamProblem& problem, double passes, std::uint64_t seed) {
  struct Other {
    const char *name, *method, *stochastic, *cost;
  };
  Table table{.file = "others",
              .heading = "The other methods of the table",
              .columns = {"method", "stochastic", "claimed cost", "claimed memory", "seconds per iteration",
                          "passes to 99 %", "share of the optimum at the end", "passes"}};
  for (const Other& other :
       {Other{"AppGrad", "appgrad", "no", "O(n^2 p + p^3)"},
        Other{"CCALin (GenELinK)", "genelink", "no", "O(n^2 p + p^3)"},
        Other{"rgCCALin", "rgccalin", "no", "O(n^2 p + p^3)"},
        Other{"LazyCCA", "lazy-cca", "no", "O(n^2 p + p^2 n)"}, Other{"MSG", "msg", "yes", "O(n^3)"}}) {
    std::array<SourcePtr<float>, 2> views;
    for (std::size_t k = 0; k < 2; ++k) {
      const Matrix<float>& data = problem.data[k];
      views[k] = std::make_unique<MemorySource<float>>(data.data(), data.cols(), data.rows(), data.rows());
    }
    try {
      const auto result = fit_cca<float>(std::move(views[0]), std::move(views[1]),
                                         {.components = problem.components,
                                          .rival = other.method,
                                          .ridge = static_cast<double>(problem.ridge),
                                          .passes = passes,
                                          .batch = 512,
                                          .seed = seed,
                                          .curve_every = 0.25});
      nlohmann::ordered_json needed = "not reached";
      for (const CurvePoint& point : result.curve)
        if (needed.is_string() && point.total_correlation >= -0.99 * problem.optimum) needed = point.passes;
      table.rows.push_back(
          {other.name, other.stochastic, other.cost, "n^2",
           result.seconds.solve / static_cast<double>(std::max<std::uint64_t>(result.iterations, 1)), needed,
           -result.correlations.sum() / problem.optimum, result.passes});
    } catch (const NumericalError& error) {
      table.rows.push_back(
          {other.name, other.stochastic, other.cost, "n^2", nullptr, error.what(), nullptr, nullptr});
    }
  }
  return table;
}

}  // namespace

void run_table_cca(const ReproduceSettings& settings, Page& page) {
  const SerialBlas serial;  // so that exponents do not depend on when BLAS begins to use threads
  constexpr Index batch = 128, components = 5;
  const std::array rows{Row{StreamMethod::online, "yes", "O(n p r)", "n (p + r)", 1},
                        Row{StreamMethod::averaged, "no", "O(n^2 p)", "n^2", 2},
                        Row{StreamMethod::riemannian, "no", "O(n^2 p + p^3)", "n^2", 2}};
  const Index smallest = settings.quick ? 128 : 256, largest = settings.quick ? 512 : 2048;
  std::vector<Series> seconds(rows.size()), bytes(rows.size());
  for (Index n = smallest; n <= largest; n *= 2) {
    const StreamProblem problem = planted_problem(n, 16 * batch, components, settings.seed);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const StreamOptions options{.method = rows[k].method, .eta = 1e-3, .omega = 1, .batch = batch};
      seconds[k].name = bytes[k].name = name_of(rows[k].method);
      seconds[k].x.push_back(static_cast<double>(n));
      seconds[k].y.push_back(seconds_per_iteration(problem, options));
      bytes[k].x.push_back(static_cast<double>(n));
      bytes[k].y.push_back(static_cast<double>(memory_of(problem, options)));
    }
  }

  const StreamProblem problem = cca_problem(settings, components, 1);
  const int epochs = settings.quick ? 5 : 10;
  page.text = {fmt::format("Seconds and bytes are those of planted data with p = {}, r = {} and n columns in "
                           "each view, on one thread; "
                           "exponents are fitted to all sizes. Passes: {}, r = 512, eta = 0.1, omega = 1, "
                           "until the sum of the "
                           "correlations within the spans of X and Y is 99 % of the exact one.",
                           components, batch, problem.source),
               "The Riemannian method with the covariance of all rows so far stands for those that solve "
               "with it. The other rows "
               "of the table are run by the methods of landfall cca --method, with their own steps and "
               "stopping rules."};
  Table table{
      .file = "costs",
      .heading = "Costs",
      .columns = {"method", "stochastic", "claimed cost", "fitted exponent of n", "claimed memory",
                  "fitted exponent of n (memory)", fmt::format("seconds per iteration, n = {}", largest),
                  fmt::format("MiB, n = {}", largest), "passes to 99 %", "share of the optimum at the end"}};
  Chart progress{.file = "captured",
                 .title = "Share of the optimum",
                 .label = "What X and Y capture, against passes.",
                 .x_label = "passes",
                 .y_label = "share of the exact sum of correlations"};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double cost = fitted_exponent(seconds[k].x, seconds[k].y),
                 memory = fitted_exponent(bytes[k].x, bytes[k].y);
    const StreamTrace trace = run_stream(problem, {.method = rows[k].method,
                                                   .eta = 0.1,
                                                   .epochs = epochs,
                                                   .every = settings.quick ? 2 : 13,
                                                   .seed = settings.seed});
    Series share{.name = name_of(rows[k].method)};
    nlohmann::ordered_json passes = fmt::format("more than {}", epochs);
    for (std::size_t i = 0; i < trace.iteration.size(); ++i) {
      share.x.push_back(trace.iteration[i] * 512 / static_cast<double>(problem.rows()));
      share.y.push_back(-trace.captured[i] / problem.optimum);
      if (passes.is_string() && share.y.back() >= 0.99) passes = share.x.back();
    }
    table.rows.push_back({name_of(rows[k].method), rows[k].stochastic, rows[k].cost, cost, rows[k].memory,
                          memory, seconds[k].y.back(), bytes[k].y.back() / (1 << 20), passes,
                          share.y.back()});
    progress.series.push_back(std::move(share));
    page.claims.push_back(
        {fmt::format("{}: {} per iteration, memory {}", name_of(rows[k].method), rows[k].cost,
                     rows[k].memory),
         fmt::format("exponents of n fitted: cost {:.2f}, memory {:.2f}; claimed at most {:g}", cost, memory,
                     rows[k].cost_exponent),
         cost < rows[k].cost_exponent + 0.4 && memory < rows[k].cost_exponent + 0.1});
  }
  page.charts.push_back({.file = "seconds",
                         .title = "Time of an iteration",
                         .label = "Seconds per iteration against n.",
                         .x_label = "n",
                         .y_label = "seconds",
                         .log_x = true,
                         .log_y = true,
                         .series = seconds});
  page.charts.push_back(std::move(progress));
  page.tables.push_back(std::move(table));
  page.tables.push_back(other_methods(problem, settings.quick ? 2 : 4, settings.seed));
}

}  // namespace landfall::app
