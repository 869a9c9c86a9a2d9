// The stochastic experiments: CCA and ICA by methods of the registry, with the steps of the paper or with their own.
//
//   const StreamProblem problem = cca_problem(settings, 5, 2.0);
//   const StreamTrace trace = run_stream(problem, {.method = "landing-released", .eta = 0.005, .omega = 2});
//   chart.series.push_back({"online", trace.iteration, trace.objective});
#pragma once

#include <landfall/linalg/types.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/figures.hpp"

namespace landfall::app {

/// min f(X_1, ...) subject to X_k' B_k X_k = I with B_k = A_k'A_k/N + ridge I. Two blocks: CCA, f = -tr X'S_xy Y. One:
/// ICA, f = mean sum log cosh(a'x_j).
struct StreamProblem {
  std::string source{};               // what the data are
  std::vector<Matrix<float>> data{};  // of each block, a column per row of the data, centred
  std::vector<Vector<float>> mean{};  // what was subtracted from them
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

/// A method of the paper's figures.
struct PaperMethod {
  const char* method;  // its name in the registry
  const char* label;
  const char* curve;  // its name in paper_curve()
  bool landing;
};
inline constexpr std::array<PaperMethod, 3> paper_methods{
    {{"landing-released", "landing, online", "online", true},
     {"landing-averaged", "landing, averaged", "averaged", true},
     {"rgd-rolling", "Riemannian, averaged", "riemannian", false}}};

enum class Start {
  own,              // the method's
  first_batch,      // random, orthonormal on the first batch
  first_batch_raw,  // the same before the mean is subtracted: where the authors' runs begin
};

struct StreamRun {
  std::string method{};           // of the registry
  double eta = 0;                 // in the paper's convention; 0: the method's own step
  std::optional<double> omega{};  // unset: the method's own
  std::optional<std::vector<double>>
      milestones{};  // passes after which eta is divided by ten; unset: the method's
  Index batch = 512;
  double passes = 1;                         // of methods that take batches
  std::uint64_t iterations = 1'000'000'000;  // at most
  std::uint64_t every = 1;                   // iterations between entries of the trace
  Start start = Start::own;
  bool shuffle = false;  // else batches come in the order of the rows
  std::uint64_t seed = 0;
};

/// Measured on all rows, exactly, while the method's clock stands still.
struct StreamTrace {
  std::vector<double> iteration{}, seconds{};
  std::vector<double> objective{}, distance{};  // sum of ||X'BX - I||
  std::vector<double>
      captured{};               // CCA: sum of the correlations within the spans of X and Y; 0 where not known
  std::vector<double> amari{};  // ICA
  bool diverged = false;
  bool batches = false;  // an iteration is a batch, else it uses all of S_xx, S_yy and S_xy
  double bytes = 0;      // kept from one iteration to the next, at most

  /// The first value from so many passes on.
  double at(const std::vector<double>& values, double passes, double iterations_per_pass) const;
  /// The median over the iterations after `first`.
  double seconds_per_iteration(double first) const;
};

StreamTrace run_stream(const StreamProblem& problem, const StreamRun& run);

/// A curve of the authors' own runs. problem: cca-p5, cca-p10, ica; method: online, averaged, riemannian.
struct PaperCurve {
  std::vector<double> iteration, objective, distance, amari;
};
PaperCurve paper_curve(const std::string& problem, const std::string& method);

}  // namespace landfall::app
