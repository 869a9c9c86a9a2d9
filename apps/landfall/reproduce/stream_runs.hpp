// The stochastic experiments: CCA and ICA from batches by methods with fixed steps, as the paper runs them. Used by the
// figures and tables about them.
//
//   const StreamProblem problem = cca_problem(settings, 5, 2.0);
//   const StreamTrace trace = run_stream(problem, {.method = StreamMethod::online, .eta = 0.005, .omega = 2});
//   chart.series.push_back({"online", trace.iteration, trace.objective});
#pragma once

#include <landfall/linalg/types.hpp>

#include <string>
#include <vector>

#include "reproduce/figures.hpp"

namespace landfall::app {

/// min f(X_1, ...) subject to X_k' B_k X_k = I with B_k = A_k'A_k/N + ridge I. Two blocks: CCA, f = -tr X'S_xy Y. One:
/// ICA, f = mean sum log cosh(a'x_j).
struct StreamProblem {
  std::string source{};               // what the data are
  std::vector<Matrix<float>> data{};  // of each block, a column per row of the data, centred
  std::vector<Vector<float>> mean{};  // what was taken off them
  Index components = 0;
  float ridge = 0;
  std::vector<Matrix<float>> b{};  // exact
  Matrix<float> cross{};           // CCA: S_xy
  Matrix<double> mixing{};         // ICA
  double optimum = 0;              // CCA: of f

  bool cca() const { return data.size() == 2; }
  Index rows() const { return data[0].cols(); }
};

/// Split MNIST from the settings' folder, or planted data of that shape; pixels, which are in [0, 1], times `scale`.
StreamProblem cca_problem(const ReproduceSettings& settings, Index components, float scale);
/// Two views of n planted columns each; without an optimum.
StreamProblem planted_problem(Index n, Index rows, Index components, std::uint64_t seed);
StreamProblem ica_problem(const ReproduceSettings& settings);

enum class StreamMethod {
  online,      // landing, one batch for gradient and B
  averaged,    // landing, B (and S_xy) of all rows so far, exact after an epoch
  riemannian,  // gradient B^-1 G - X sym(X'G) and Cholesky-QR with that B
};
std::string name_of(StreamMethod method);

struct StreamOptions {
  StreamMethod method = StreamMethod::online;
  double eta = 0, omega = 1;      // in the paper's convention
  std::vector<int> milestones{};  // epochs, counted from 0, from which on eta is a tenth of what it was
  Index batch = 512;
  int epochs = 1;
  int every = 1;  // iterations between entries of the trace
  /// The start is orthonormal on the first batch: of the rows as they are in the file, with their mean, as the authors'
  /// runs begin; else centred.
  bool start_with_mean = false;
  std::uint64_t seed = 0;
};

/// On all rows, exactly; the clock stands still for that.
struct StreamTrace {
  std::vector<double> iteration, seconds;
  std::vector<double> objective, distance;  // sum of ||X'BX - I||
  std::vector<double> captured;             // CCA: sum of the correlations of what X and Y span
  std::vector<double> amari;                // ICA
  bool diverged = false;
  double at(const std::vector<double>& values, double epoch, double iterations_per_epoch) const;
};

StreamTrace run_stream(const StreamProblem& problem, const StreamOptions& options);

/// The sum of the p largest canonical correlations within the spans of X and Y; 0 where a span has lost a dimension.
double captured(const StreamProblem& problem, const Point<float>& xy);

/// Bytes that a method keeps from step to step, with one batch of rows.
std::uint64_t memory_of(const StreamProblem& problem, const StreamOptions& options);

/// A curve of the authors' own runs. problem: cca-p5, cca-p10, ica; method: online, averaged, riemannian.
struct PaperCurve {
  std::vector<double> iteration, objective, distance, amari;
};
PaperCurve paper_curve(const std::string& problem, const std::string& method);

}  // namespace landfall::app
