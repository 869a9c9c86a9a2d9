// CCA of split MNIST: landing online and averaged, the Riemannian method averaged, with the authors' curves.
#include <algorithm>
#include <cmath>

#include "reproduce/figures.hpp"
#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Experiment {
  std::string curves;  // of paper_curve
  Index components = 5;
  int epochs = 8;
  std::uint64_t every = 15;
  double omega = 2;             // of the code
  double averaged_eta = 0.005;  // half of what the code has
  bool fitted = false;          // omega and averaged_eta were chosen by comparing with the authors' runs
};

std::vector<Chart> cca_charts(const std::string& file, const std::string& title) {
  std::vector<Chart> out;
  for (const bool time : {false, true})
    for (const bool objective : {true, false})
      out.push_back(
          {.file = fmt::format("{}-{}-{}", file, objective ? "objective" : "distance",
                               time ? "time" : "iterations"),
           .title = fmt::format("{}, {}", objective ? "Objective" : "Distance", title),
           .label = fmt::format("{} against {}.",
                                objective ? "f above its optimum, relative" : "||X'BX - I|| + ||Y'BY - I||",
                                time ? "seconds" : "iterations"),
           .x_label = time ? "seconds" : "iterations",
           .y_label = objective ? "(f - f*) / |f*|" : "distance",
           .log_y = true});
  return out;
}

std::vector<double> above(const std::vector<double>& objective, double optimum) {
  std::vector<double> out;
  for (const double f : objective) out.push_back(std::abs((f - optimum) / optimum));
  return out;
}

void add(std::vector<Chart>& to, const std::string& name, const StreamTrace& trace, double optimum) {
  const auto gap = above(trace.objective, optimum);
  to[0].series.push_back({name, trace.iteration, gap});
  to[1].series.push_back({name, trace.iteration, trace.distance});
  to[2].series.push_back({name, trace.seconds, gap});
  to[3].series.push_back({name, trace.seconds, trace.distance});
}

void run_cca(const Experiment& experiment, const ReproduceSettings& settings, Page& page) {
  const double epochs = settings.quick ? std::min(experiment.epochs, 5) : experiment.epochs;
  const bool real = !settings.data.empty() && !settings.quick;  // comparable with the authors' runs
  Table ends{.file = "ends",
             .heading = "Where the runs end",
             .columns = {"setting", "method", "eta", "omega", "f", "f of the authors", "f / f*", "distance",
                         "seconds"}};

  StreamProblem problem = cca_problem(settings, experiment.components, 2);
  const double per_epoch = std::ceil(static_cast<double>(problem.rows()) / 512);
  page.text = {
      fmt::format(
          "Data: {}; p = {}, batches of 512 rows in the order of the file, {} epochs, ridge 1e-3. f = -tr "
          "X'S_xy Y and the distances are those on all rows; f* = {:.4f}. The methods are those of landfall "
          "methods: landing-released (online), landing-averaged and rgd-rolling (Riemannian).",
          problem.source, experiment.components, epochs, problem.optimum),
      fmt::format("The setting of the authors' code: pixels in [-1, 1], half of the field, one batch for the "
                  "gradient "
                  "and both B, eta = 0.01, omega = {:g}, eta/10 after four epochs, a start that is "
                  "orthonormal on the "
                  "first batch before its mean is subtracted. In the units of this page eta is 0.005.",
                  experiment.omega),
      experiment.averaged_eta == 0.005
          ? "The authors' averaged run has the same eta."
          : fmt::format(
                "The settings of the authors' runs with this p are not published. omega is the one with "
                "which "
                "the distances resemble theirs. With eta = 0.005 averaged landing ends about 4 % behind "
                "theirs "
                "from every start; here it has eta = {:g}, with which the ends agree, and with which online "
                "landing diverges. Both parameters are fitted, so the comparison with the authors' runs "
                "confirms nothing, and the verdict says so.",
                experiment.averaged_eta),
      "The setting of the text: eta = 0.1 and omega = 1 throughout, which is stable for pixels in [0, 1] "
      "only "
      "(eta omega beta_1 < 1/2). The Riemannian method has eta = 0.1 in both settings: its step does not "
      "depend on the scale of the data. The step of the authors' Riemannian runs is not known."};
  auto code = cca_charts("code", "the code's setting");
  std::vector<StreamTrace> traces;
  for (const PaperMethod& method : paper_methods) {
    const StreamRun run{.method = method.method,
                        .eta = !method.landing                            ? 0.1
                               : method.method == paper_methods[1].method ? experiment.averaged_eta
                                                                          : 0.005,
                        .omega = experiment.omega,
                        .milestones = method.landing ? std::vector<double>{4} : std::vector<double>{},
                        .passes = epochs,
                        .every = settings.quick ? 2U : experiment.every,
                        .start = Start::first_batch_raw,
                        .seed = settings.seed};
    traces.push_back(run_stream(problem, run));
    const StreamTrace& trace = traces.back();
    const std::string label = method.label;
    add(code, label, trace, problem.optimum);
    const PaperCurve paper = paper_curve(experiment.curves, method.curve);
    if (real) {
      code[0].series.push_back(
          {label + " (authors)", paper.iteration, above(paper.objective, problem.optimum), true});
      code[1].series.push_back({label + " (authors)", paper.iteration, paper.distance, true});
    }
    const double f = trace.objective.back(), theirs = paper.objective.back();
    ends.rows.push_back({"code", label, run.eta, method.landing ? experiment.omega : 0.0, f,
                         real ? nlohmann::ordered_json(theirs) : nlohmann::ordered_json(),
                         f / problem.optimum, trace.distance.back(), trace.seconds.back()});
    if (real && method.landing) {
      std::vector<double> ends_of_starts{f};
      for (std::uint64_t start = 1; start < 5; ++start) {
        StreamRun other = run;
        other.seed = settings.seed + start;
        other.every = 1'000'000;
        ends_of_starts.push_back(run_stream(problem, other).objective.back());
      }
      std::sort(ends_of_starts.begin(), ends_of_starts.end());
      const double away = std::abs(ends_of_starts[2] / theirs - 1);
      page.claims.push_back(
          {fmt::format("{} ends at f = {:.3f} (the authors' run)", label, theirs),
           fmt::format(
               "f = {:.3f}; over five random starts {:.3f} to {:.3f}, median {:.1f} % away; 3 % are allowed",
               f, ends_of_starts.back(), ends_of_starts.front(), 100 * away),
           away < 0.03, experiment.fitted});
    }
  }

  page.charts = code;

  const PaperCurve slow = paper_curve(experiment.curves, "riemannian");
  const auto one_epoch = std::lower_bound(slow.iteration.begin(), slow.iteration.end(), per_epoch);
  const double after_one_theirs =
      slow.objective[static_cast<std::size_t>(one_epoch - slow.iteration.begin())];
  const auto after_one = [&](const StreamTrace& trace) { return trace.at(trace.objective, 1, per_epoch); };
  page.claims.push_back(
      {"online landing is ahead of the averaged Riemannian method in f after the first epoch",
       fmt::format("f after one epoch: online {:.3f}, averaged {:.3f}, Riemannian {:.3f} with eta = 0.1{}",
                   after_one(traces[0]), after_one(traces[1]), after_one(traces[2]),
                   real ? fmt::format(" (the authors' Riemannian run: {:.2f}, with steps that are not known)",
                                      after_one_theirs)
                        : ""),
       after_one(traces[0]) < after_one(traces[2])});
  page.claims.push_back(
      {"after the first epoch the averaged methods are closer to the manifold than online landing",
       fmt::format("distance at the end: online {:.2g}, averaged {:.2g}, Riemannian {:.2g}",
                   traces[0].distance.back(), traces[1].distance.back(), traces[2].distance.back()),
       std::max(traces[1].distance.back(), traces[2].distance.back()) < traces[0].distance.back()});

  problem = cca_problem(settings, experiment.components, 1);
  auto text = cca_charts("text", "the text's setting");
  std::string measured;
  bool stable = true;
  for (const PaperMethod& method : paper_methods) {
    const StreamTrace trace = run_stream(problem, {.method = method.method,
                                                   .eta = 0.1,
                                                   .omega = 1,
                                                   .milestones = std::vector<double>{},
                                                   .passes = epochs,
                                                   .every = settings.quick ? 2U : experiment.every,
                                                   .start = Start::first_batch,
                                                   .seed = settings.seed});
    stable = stable && !trace.diverged;
    add(text, method.label, trace, problem.optimum);
    ends.rows.push_back({"text", method.label, 0.1, 1.0, trace.objective.back(), nullptr,
                         trace.objective.back() / problem.optimum, trace.distance.back(),
                         trace.seconds.back()});
    measured += fmt::format("{}{} {:.4f}", measured.empty() ? "" : ", ", method.label,
                            trace.objective.back() / problem.optimum);
  }
  page.claims.push_back({"eta = 0.1 and omega = 1 suit all methods (the text's setting, pixels in [0, 1])",
                         fmt::format("f / f* at the end: {}", measured), stable});
  page.charts.insert(page.charts.end(), text.begin(), text.end());
  page.tables.push_back(std::move(ends));
}

}  // namespace

void run_fig_cca_p5(const ReproduceSettings& settings, Page& page) {
  run_cca({"cca-p5", 5, 8, 15, 2}, settings, page);
}

/// The parameters of the authors' runs with p = 10 are not known; these are fitted. omega = 1: with 2 the distance falls
/// faster than in theirs. A longer step of averaged landing: with 0.005 none of 45 random starts came as far as their
/// run, the best to -8.16.
void run_fig_cca_p10(const ReproduceSettings& settings, Page& page) {
  run_cca({"cca-p10", 10, 5, 9, 1, 0.007, true}, settings, page);
}

}  // namespace landfall::app
