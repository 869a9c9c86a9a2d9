// ICA of mixtures of Laplace sources: objective, distance from the manifold, Amari distance.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "reproduce/figures.hpp"
#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

std::vector<Chart> ica_charts(const std::string& file, const std::string& title) {
  std::vector<Chart> out;
  for (const bool time : {false, true})
    for (const auto& [part, what, log] :
         {std::tuple{"objective", "Objective", false}, std::tuple{"distance", "||X'BX - I||", true},
          std::tuple{"amari", "Amari distance", true}})
      out.push_back({.file = fmt::format("{}-{}-{}", file, part, time ? "time" : "iterations"),
                     .title = fmt::format("{}, {}", what, title),
                     .label = fmt::format("{} against {}.", what, time ? "seconds" : "iterations"),
                     .x_label = time ? "seconds" : "iterations",
                     .y_label = what,
                     .log_y = log});
  return out;
}

}  // namespace

void run_fig_ica(const ReproduceSettings& settings, Page& page) {
  const StreamProblem problem = ica_problem(settings);
  const int epochs = 5;
  page.text = {
      fmt::format("Data: {}, n = p = 10, {} epochs.", problem.source, epochs),
      "The methods are those of landfall methods: landing-released (online), landing-averaged and "
      "rgd-rolling (Riemannian). The setting of the authors' code: batches of 1000, half of the field "
      "with eta = 0.4 (0.2 in the units of this page), omega = 0.25, eta/10 after three epochs and "
      "again after four, one batch for the gradient and both B. The setting of the text: batches of "
      "512, eta = 0.1, omega = 1.",
      "One batch for everything is biased: online landing ends below the constrained optimum, off "
      "the manifold."};
  Table ends{.file = "ends",
             .heading = "Where the runs end",
             .columns = {"setting", "method", "f", "f of the authors", "distance", "distance of the authors",
                         "Amari", "Amari of the authors"}};
  for (const bool code : {true, false}) {
    auto figure = ica_charts(code ? "code" : "text", code ? "the code's setting" : "the text's setting");
    std::vector<StreamTrace> traces;
    for (const PaperMethod& method : paper_methods) {
      const bool slows = code && method.landing;
      const std::string label = method.label;
      traces.push_back(
          run_stream(problem, {.method = method.method,
                               .eta = slows ? 0.2 : 0.1,
                               .omega = code ? 0.25 : 1,
                               .milestones = slows ? std::vector<double>{3, 4} : std::vector<double>{},
                               .batch = code ? 1000 : 512,
                               .passes = epochs,
                               .every = settings.quick ? 2U : 8U,
                               .start = Start::first_batch,
                               .seed = settings.seed}));
      const StreamTrace& trace = traces.back();
      std::size_t at = 0;
      for (const auto* x : {&trace.iteration, &trace.seconds})
        for (const auto* y : {&trace.objective, &trace.distance, &trace.amari})
          figure[at++].series.push_back({label, *x, *y});
      const PaperCurve paper = paper_curve("ica", method.curve);
      const bool comparable = code && !settings.quick;
      if (comparable) {
        at = 0;
        for (const auto* y : {&paper.objective, &paper.distance, &paper.amari})
          figure[at++].series.push_back({label + " (authors)", paper.iteration, *y, true});
        const double f = trace.objective.back(), theirs = paper.objective.back();
        page.claims.push_back(
            {fmt::format("{} ends at f = {:.3f} (the authors' run)", label, theirs),
             fmt::format("f = {:.3f}, {:.1f} % away; 3 % are allowed", f, 100 * std::abs(f / theirs - 1)),
             std::abs(f / theirs - 1) < 0.03});
      }
      const auto theirs = [&](const std::vector<double>& curve) {
        return comparable ? nlohmann::ordered_json(curve.back()) : nlohmann::ordered_json();
      };
      ends.rows.push_back({code ? "code" : "text", label, trace.objective.back(), theirs(paper.objective),
                           trace.distance.back(), theirs(paper.distance), trace.amari.back(),
                           theirs(paper.amari)});
    }
    const std::string where = code ? "code" : "text";
    const double per_epoch = std::ceil(static_cast<double>(problem.rows()) / (code ? 1000 : 512));
    const auto after_one = [&](std::size_t k) { return traces[k].at(traces[k].amari, 1, per_epoch); };
    page.claims.push_back(
        {fmt::format("online landing is ahead of the averaged Riemannian method after one epoch ({})", where),
         fmt::format("Amari distance after one epoch: online {:.2g}, averaged {:.2g}, Riemannian {:.2g}",
                     after_one(0), after_one(1), after_one(2)),
         after_one(0) < after_one(2)});
    page.claims.push_back(
        {fmt::format("the sources are found, by the averaged methods on the manifold ({})", where),
         fmt::format("Amari at the end: online {:.2g}, averaged {:.2g}, Riemannian {:.2g}; distance {:.2g}, "
                     "{:.2g}, {:.2g}",
                     traces[0].amari.back(), traces[1].amari.back(), traces[2].amari.back(),
                     traces[0].distance.back(), traces[1].distance.back(), traces[2].distance.back()),
         std::max(traces[0].amari.back(), traces[1].amari.back()) < 0.01 &&
             traces[1].distance.back() < traces[0].distance.back()});
    page.charts.insert(page.charts.end(), figure.begin(), figure.end());
  }
  page.tables.push_back(std::move(ends));
}

}  // namespace landfall::app
