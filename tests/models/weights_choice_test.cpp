// Weights of rows in tests, choices, restarts and the other methods of ICA.
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/component_choice.hpp>
#include <landfall/models/lda/shrinkage.hpp>

#include "support.hpp"
#include <models/classes.hpp>
#include <models/row_weights.hpp>

namespace landfall::test::weights_choice_test {

/// Weighted correlations of one column with one: the p-value counts the permutations of the right column, against the left one with its
/// weights, that correlate as much.
TEST(CcaWeights, StayWithTheLeftRowsInAPermutationTest) {
  constexpr Index kRows = 40;
  constexpr int kTimes = 199;
  const auto values = uneven_weights(kRows);
  const Vector<double> w = Eigen::Map<const Vector<double>>(values.data(), kRows);
  RowMatrix<double> x = gaussian<double>(kRows, 1, {5, 0}), y = gaussian<double>(kRows, 1, {6, 0}) + 0.3 * x;
  const auto squared = [&](const Vector<double>& b) {
    const Vector<double> a = x.col(0);
    const double n = w.sum(), ma = w.dot(a) / n, mb = w.dot(b) / n;
    const Vector<double> da = a.array() - ma, db = b.array() - mb;
    const double ab = w.dot(da.cwiseProduct(db)), aa = w.dot(da.cwiseAbs2()), bb = w.dot(db.cwiseAbs2());
    return ab * ab / (aa * bb);
  };
  CcaOptions options{.components = 1, .permutations = kTimes};
  options.weights = weights_of(values);
  const auto fitted = fit_cca<double>(rows_of<double>(x), rows_of<double>(y), options);
  EXPECT_NEAR(fitted.correlations(0) * fitted.correlations(0), squared(y.col(0)), 1e-9);
  // Other permutations than those of the test: the p-values agree within four standard errors.
  int as_large = 0;
  constexpr int kMany = 4000;
  for (int i = 0; i < kMany; ++i) {
    const auto order = shuffled_rows(kRows, static_cast<std::uint64_t>(i) + 1);
    as_large += squared(Vector<double>(y.col(0)(order))) >= squared(y.col(0));
  }
  const double p = static_cast<double>(as_large) / kMany;
  EXPECT_NEAR(fitted.permutation.p(0), p,
              4 * std::sqrt(p * (1 - p) * (1.0 / kTimes + 1.0 / kMany)) + 1.0 / kTimes);
}

/// Independent views, weights that follow the left one: small p-values are as rare as they should be.
TEST(CcaWeights, KeepTheLevelOfAPermutationTest) {
  constexpr int kTables = 60;
  int small = 0;
  for (std::uint64_t seed = 1; seed <= kTables; ++seed) {
    const RowMatrix<double> x = gaussian<double>(50, 3, {seed, 0}), y = gaussian<double>(50, 2, {seed, 1});
    std::vector<double> values;
    for (Index i = 0; i < 50; ++i) values.push_back(std::exp(x(i, 0)));
    CcaOptions options{.components = 2, .ridge = seed % 2 == 0 ? 0.1 : 0.0, .permutations = 49};
    options.weights = weights_of(values);
    const auto test = fit_cca<double>(rows_of<double>(x), rows_of<double>(y), options).permutation;
    small += test.p(0) <= 0.2;
    EXPECT_GE(test.p(1), test.p(0));
  }
  EXPECT_LE(small, 0.2 * kTables + 4 * std::sqrt(0.2 * 0.8 * kTables));
  EXPECT_GE(small, 0.2 * kTables - 4 * std::sqrt(0.2 * 0.8 * kTables));
}

/// From covariances of the folds, and by a fit for each fold: the same weighted accuracies.
TEST(LdaWeights, CountInTheChoiceOfTheRidge) {
  const auto data = made_up_classes<double>(300, 5, 3, 2, 8);
  LdaOptions options{.folds = 4, .seed = 3};
  options.weights = weights_of(whole_weights(300));
  const std::vector<double> ridges{0.01, 0.3};
  for (const bool sparse : {false, true}) {
    const auto direct =
        cross_validate_shrinkage<double>(rows_of<double>(data.rows, sparse), data.labels(), options, ridges);
    for (std::size_t r = 0; r < ridges.size(); ++r) {
      double sum = 0;
      for (int fold = 0; fold < 4; ++fold) {
        LdaOptions one = options;
        one.fold = fold;
        one.relative_ridge = ridges[r];
        sum +=
            fit_lda<double>(rows_of<double>(data.rows, sparse), data.labels(), one).held_out_accuracy.value();
      }
      EXPECT_NEAR(direct.accuracy(direct.accuracy.rows() - 1, static_cast<Index>(r)), sum / 4, 1e-9);
    }
    LdaOptions none = options;
    none.weights.reset();
    const auto plain =
        cross_validate_shrinkage<double>(rows_of<double>(data.rows, sparse), data.labels(), none, ridges);
    EXPECT_GT(distance(direct.accuracy, plain.accuracy), 1e-6) << "the weights must matter";
    none.weights = weights_of(std::vector<double>(300, 3.0));
    EXPECT_EQ(
        cross_validate_shrinkage<double>(rows_of<double>(data.rows, sparse), data.labels(), none, ridges)
            .accuracy,
        plain.accuracy);
  }
}

/// Whole weights are rows repeated: exactly for methods that iterate over all rows, as near as their batches allow for the others.
TEST(IcaWeights, ReachTheOtherMethods) {
  const RowMatrix<double> rows = sources(4000, 3, 3) * gaussian<double>(3, 3, {9, 0});
  const auto weights = whole_weights(4000);
  const RowMatrix<double> longer = rows(repeated(weights), Eigen::all);
  for (const auto& [method, tolerance] : {std::pair("fastica", 1e-3), std::pair("picard-o", 1e-3),
                                          std::pair("infomax", 0.1), std::pair("mm-ica", 0.1)}) {
    IcaOptions options{.baseline = method, .passes = 20};
    const auto expected = fit_ica<double>(rows_of<double>(longer), options),
               plain = fit_ica<double>(rows_of<double>(rows), options);
    options.weights = weights_of(weights);
    const auto found = fit_ica<double>(rows_of<double>(rows), options);
    const double off = amari_distance(found.unmixing(), expected.mixing);
    EXPECT_LT(off, tolerance) << method;
    EXPECT_LT(distance(found.negentropy, expected.negentropy), tolerance) << method;
    EXPECT_LT(off, 0.5 * amari_distance(plain.unmixing(), expected.mixing))
        << method << ": the weights must matter";
  }
}

/// Rows of weight 0 at the end, of whatever content, change nothing; other weights do; and sources come back.
TEST(IcaWeights, ReachTheRestarts) {
  const Index n = 4, rows = 3000;
  const Matrix<double> mixing = gaussian<double>(n, n, {9, 0});
  RowMatrix<double> data = sources(rows, n, 3) * mixing.transpose();
  const auto weights = uneven_weights(rows);
  IcaOptions options;
  options.weights = weights_of(weights);
  const auto stability = [&](const RowMatrix<double>& all, const IcaOptions& with) {
    const auto source = rows_of<double>(all);
    const auto fitted = fit_ica<double>(rows_of<double>(all), with);
    return ica_stability<double>(*source, fitted, with, 5);
  };
  const IcaStability found = stability(data, options);
  EXPECT_EQ(stable_sources(found), n);
  RowMatrix<double> longer(rows + 200, n);
  longer << data, RowMatrix<double>::Constant(200, n, 1e6);
  auto with_zeros = weights;
  with_zeros.resize(rows + 200, 0.0);
  IcaOptions left_out = options;
  left_out.weights = weights_of(with_zeros);
  EXPECT_LT(distance(stability(longer, left_out).centrotypes, found.centrotypes), 1e-6);
  IcaOptions none;
  EXPECT_GT(distance(stability(data, none).centrotypes, found.centrotypes), 1e-4)
      << "the weights must matter";
  const auto source = rows_of<double>(data);
  const auto choice = choose_ica_components<double>(*source, options, {.restarts = 4});
  EXPECT_EQ(choice.rows[choice.chosen].components, n);
}

}  // namespace landfall::test::weights_choice_test
