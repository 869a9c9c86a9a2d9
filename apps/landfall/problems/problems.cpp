#include "problems/problems.hpp"

#include <landfall/errors.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace landfall::app {

namespace {

constexpr const char* kFormats = ".npy, .npz, csv, HDF5, Matrix Market, svmlight, IDX";

}  // namespace

std::span<const ProblemEntry> problems() {
  static const std::vector<ProblemEntry> all{
      {.name = "cca",
       .files = {{"LEFT", kFormats},
                 {"RIGHT", "file with the same rows; none with --left and --right", true}},
       .views = {{.name = "left", .weights = "weights_left.npy", .mean = "mean_left.npy"},
                 {.name = "right", .weights = "weights_right.npy", .mean = "mean_right.npy"}},
       .exact = "exact",
       .measures = {{"regularized_total", "total", "regularized_total"}},
       .held_out = "held_out_total_correlation",
       .has_curve = true,
       .has_folds = true,
       .compare_examples = "  landfall compare cca left.npy right.npy -p 5 --methods exact,landing\n"
                           "  landfall compare cca a.npy b.npy -p 5 --methods landing --passes 1,4",
       .title = "Canonical correlations",
       .subject = "canonical correlations",
       .facts = {{"total correlation", "total_correlation"},
                 {"held out", "held_out_total_correlation"},
                 {"cross-validated", "cross_validated_total_correlation"}},
       .bars_title = "Canonical correlations",
       .component = "pair",
       .bars = {{"correlation", "correlations", "training rows"}, {"held-out rows", "held_out_correlations"},
                {"cross-validated", "cross_validated_correlations"}},
       .scores = ScoreCharts::views,
       .scores_title = "Canonical variates"},
      {.name = "ica",
       .files = {{"DATA", kFormats}},
       .views = {{.name = "", .weights = "unmixing.npy", .mean = "mean.npy", .transposed = true}},
       .measures = {{"amari", "Amari distance", "amari"}, {"negentropy", "negentropy", "negentropy"}},
       .compare_examples = "  landfall compare ica data.npy --methods landing --passes 1,2,4\n"
                           "  landfall compare ica data.npy --methods landing --truth mixing.npy",
       .title = "Independent components",
       .subject = "independent components",
       .facts = {{"sources", "components"}, {"Amari distance", "amari"}},
       .bars_title = "Negentropy: how far from Gaussian",
       .component = "source",
       .bars = {{"negentropy", "negentropy"}},
       .scores = ScoreCharts::traces,
       .scores_title = "Sources"},
      {.name = "lda",
       .files = {{"DATA", kFormats}},
       .views = {{.name = "", .weights = "weights.npy", .mean = "mean.npy"}},
       .has_classes = true,
       .exact = "exact",
       .measures = {{"eigenvalue_sum", "eigenvalues", "eigenvalues"}},
       .held_out = "held_out_accuracy",
       .compare_examples = "  landfall compare lda data.csv --label-column class --methods exact,landing",
       .title = "Discriminants",
       .subject = "discriminants",
       .facts = {{"accuracy, training", "training_accuracy", true},
                 {"accuracy, held out", "held_out_accuracy", true}},
       .bars_title = "Eigenvalues",
       .component = "direction",
       .bars = {{"eigenvalue", "eigenvalues"}},
       .scores = ScoreCharts::classes,
       .scores_title = "Rows in the first discriminant directions"},
      {.name = "gevp",
       .files = {{"A", "symmetric matrix: .npy, or Matrix Market, dense or sparse"},
                 {"B", "symmetric positive definite matrix of the same size"}},
       .views = {{.name = "", .weights = "eigenvectors.npy"}},
       .has_rows = false,
       .exact = "direct",
       .baselines_take_hand = false,
       .effort = "iterations",
       .measures = {{"eigenvalue_sum", "eigenvalues", "eigenvalues"}},
       .compare_examples = "  landfall compare gevp A.npy B.npy -p 5 --methods direct,lobpcg,landing\n"
                           "  landfall compare gevp A.mtx B.mtx -p 5 --smallest --methods lobpcg,landing",
       .title = "Generalized eigenvalues",
       .subject = "a generalized eigenproblem",
       .facts = {{"largest residual", "stationarity"}},
       .bars_title = "Eigenvalues",
       .component = "eigenpair",
       .bars = {{"eigenvalue", "eigenvalues"}, {"known", "known"}},
       .weights_title = "Eigenvectors",
       .weight = "entries",
       .vector = "eigenvector",
       .features = "size",
       .convergence = "After each iteration."},
  };
  return all;
}

const ProblemEntry& find_problem(std::string_view name) {
  const auto all = problems();
  const auto at = std::ranges::find(all, name, &ProblemEntry::name);
  if (at == all.end()) throw UsageError(fmt::format("unknown problem '{}'", name));
  return *at;
}

}  // namespace landfall::app
