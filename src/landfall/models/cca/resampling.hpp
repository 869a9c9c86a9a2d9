// Whether canonical pairs are more than chance, and how much they would differ in other rows of the same kind: permutations
// and the bootstrap, on rows that are kept in memory.
//
//   std::vector<landfall::SourcePtr<float>> views;
//   landfall::DataStream<float> stream(std::move(views), {});
//   const auto rows = landfall::keep_rows<float>(stream, 10000, std::uint64_t{1} << 30);
//   const landfall::ResamplingOptions options{.components = 3, .resamples = 999, .seed = seed};
//   use(landfall::permutation_test(rows, options).p);
//   const auto intervals = landfall::bootstrap_cca(rows, options);
//   use(intervals.lower, intervals.upper, intervals.loadings[0].lower);
//
// Both give the same result with any number of threads.
#pragma once

#include <landfall/models/cca/kept_rows.hpp>

#include <array>

namespace landfall {

struct ResamplingOptions {
  Index components = 1;
  double ridge = 0;  // of both views, in the coordinates of the rows
  int resamples = 999;
  std::uint64_t seed = 0;
  CancelFlag cancel = {};
};

struct PermutationTest {
  int permutations = 0;  // 0: no test was made
  Index rows = 0;        // that it was made on
  Vector<double> p;      // for each pair: that it and all after it are chance
};

/// Rows of one view are paired with other rows of the other at random. The statistic for pair k is Wilks' lambda of the pairs from k on,
/// within what the first k - 1 pairs leave of both views; p-values never fall (closed testing; Winkler and others 2020).
/// p = (1 + how often it is at most the observed one) / (1 + permutations).
PermutationTest permutation_test(const KeptRows& rows, const ResamplingOptions& options);

struct LoadingIntervals {
  Matrix<double> loadings, lower,
      upper;  // of the rows themselves, and the interval: one row per kept column; empty for a wide view
};

struct CcaBootstrap {
  int resamples = 0;  // 0: none were made
  Index rows = 0;
  double level = 0.95;
  Vector<double> lower, upper, errors;  // of the correlations, in order
  std::array<LoadingIntervals, 2> loadings;
};

/// Rows are drawn with replacement, all with the same probability, and take their weights along. Loadings of a resample are turned onto those of the rows themselves (orthogonal
/// Procrustes), since pairs swap and change signs. Intervals are basic ones on Fisher's scale, 2 z - z*: the upward bias of canonical
/// correlations shows in z* - z, and is taken off.
CcaBootstrap bootstrap_cca(const KeptRows& rows, const ResamplingOptions& options);

}  // namespace landfall
