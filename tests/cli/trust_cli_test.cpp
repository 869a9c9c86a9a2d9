// What people look for beside weights, as a user asks for it: loadings, tests, choices, predictions, figures.
#include <landfall/data/formats/npy.hpp>
#include <landfall/linalg/random.hpp>

#include "models/iris.hpp"
#include "models/linnerud.hpp"
#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

class Trust : public ::testing::Test {
 protected:
  Trust() {
    std::string table = "Chins,Situps,Jumps,Weight,Waist,Pulse\n";
    for (const auto& row : kLinnerud)
      table += fmt::format("{},{},{},{},{},{}\n", row[0], row[1], row[2], row[3], row[4], row[5]);
    folder_.file("club.csv", table);
    std::string flowers = "a,b,c,d,species\n";
    const RowMatrix<double> rows = iris<double>();
    for (Index i = 0; i < 150; ++i)
      flowers += fmt::format("{},{},{},{},kind{}\n", rows(i, 0), rows(i, 1), rows(i, 2), rows(i, 3), i / 50);
    folder_.file("iris.csv", flowers);
    const RowMatrix<double> x = gaussian<double>(600, 6, {1, 0});
    RowMatrix<double> y = gaussian<double>(600, 5, {2, 0});
    y.leftCols(2) += 2 * x.leftCols(2);
    write_npy<double>(folder_ / "x.npy", x);
    write_npy<double>(folder_ / "y.npy", y);
  }
  Outcome landfall(const Words& arguments) { return run_program(folder_.path(), arguments); }
  Outcome club(const Words& more) {
    Words words{"cca", "club.csv", "--left", "Weight,Waist,Pulse", "-p", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }

  TemporaryFolder folder_;
};

TEST_F(Trust, NoiseIsNotPrintedWithoutAWord) {
  write_npy<double>(folder_ / "left.npy", RowMatrix<double>(gaussian<double>(60, 25, {3, 0})));
  write_npy<double>(folder_ / "right.npy", RowMatrix<double>(gaussian<double>(60, 25, {4, 0})));
  const auto run = landfall({"cca", "left.npy", "right.npy", "-p", "2", "--ridge", "0"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("warning: overfitting: the correlation of pair 1 is 0.9"), std::string::npos)
      << run.err;
  EXPECT_NE(run.out.find("cross-validated"), std::string::npos) << run.out;
  aligned_lines(run.out);
  const auto json =
      landfall({"cca", "left.npy", "right.npy", "-p", "2", "--ridge", "0", "--json", "--quiet"});
  const Json summary = Json::parse(json.out);
  EXPECT_EQ(summary["folds"], 5);
  EXPECT_LT(summary["cross_validated_correlations"][0], 0.5);
  EXPECT_EQ(summary["cross_validated_errors"].size(), 2U);
  EXPECT_GT(summary["wilks"][0]["f_p"], 0.001);
}

TEST_F(Trust, LoadingsAreInTheTableTheSummaryAndTheFolder) {
  const auto run = club({"--show", "loadings", "--out", "run", "--quiet"});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* text :
       {"loadings, left view", "\nWaist         0.925", "\nSitups       -0.818", "\nexplained    45.1 %"})
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
  const Json summary = Json::parse(content(folder_ / "run/summary.json"));
  EXPECT_NEAR(summary["loadings"][0][1][0], 0.9254, 1e-4);
  EXPECT_NEAR(summary["cross_loadings"][1][1][0], -0.6506, 1e-4);
  EXPECT_NEAR(summary["variance_explained"][0][0], 0.4508, 1e-4);
  EXPECT_NEAR(summary["redundancy"][1][0], 0.2584, 1e-4);
  EXPECT_EQ(read_npy<double>(folder_ / "run/loadings_left.npy").cols(), 2);
  EXPECT_EQ(read_npy<double>(folder_ / "run/cross_loadings_right.npy").rows(), 3);
  EXPECT_EQ(content(folder_ / "run/loadings_right.csv")
                .find("column,loading_1,loading_2,cross_loading_1,cross_loading_2\nChins,"),
            0U);

  ASSERT_EQ(landfall({"lda", "iris.csv", "--label-column", "species", "--out", "lda"}).code, 0);
  EXPECT_EQ(content(folder_ / "lda/loadings.csv")
                .find("column,loading_1,loading_2,within_loading_1,within_loading_2\na,"),
            0U);
  ASSERT_EQ(landfall({"ica", "x.npy", "-p", "3", "--out", "ica"}).code, 0);
  const Json ica = Json::parse(content(folder_ / "ica/summary.json"));
  EXPECT_EQ(ica["kurtosis"].size(), 3U);
  EXPECT_EQ(ica["variance_explained"].size(), 3U);
  EXPECT_EQ(ica["loadings"].size(), 6U);
}

TEST_F(Trust, TestsAreInTheTableAndTheSummary) {
  const auto run = club({"--permutations", "199", "--bootstrap", "100", "--json", "--quiet"});
  const Json summary = Json::parse(run.out);
  EXPECT_NEAR(summary["wilks"][0]["lambda"], 0.35039053, 1e-7);
  EXPECT_NEAR(summary["wilks"][0]["f_p"], 0.0635, 1e-4);
  EXPECT_EQ(summary["permutations"], 199);
  EXPECT_NEAR(summary["permutation_p"][0], 0.0635, 0.06);  // three standard errors of 199 permutations
  EXPECT_EQ(summary["bootstrap"]["resamples"], 100);
  EXPECT_LT(summary["bootstrap"]["correlations_lower"][0], summary["correlations"][0]);
  const auto table = club({"--permutations", "99", "--bootstrap", "20", "--quiet"});
  for (const char* text : {"p (Wilks)", "p (permuted)", "95 % interval"})
    EXPECT_NE(table.out.find(text), std::string::npos) << table.out;
  aligned_lines(table.out);
  EXPECT_EQ(content(folder_ / "club.csv").empty(), false);
}

TEST_F(Trust, PairsAndRidgeAreChosenByCrossValidation) {
  const auto run = landfall({"cv", "cca", "x.npy", "y.npy", "--json"});
  const Json choice = summary_of(run);
  EXPECT_EQ(choice["choice"], Json({{"components", 2}, {"relative_ridge", 0}})) << choice.dump();
  EXPECT_EQ(choice["folds"], 5);
  EXPECT_EQ(choice["values"].size(), 5U);     // up to five pairs
  EXPECT_EQ(choice["values"][0].size(), 7U);  // for each ridge
  const auto table = landfall({"cv", "cca", "x.npy", "y.npy", "--ridges", "0,1", "--out", "cv"});
  EXPECT_NE(table.out.find("<- chosen"), std::string::npos) << table.out;
  EXPECT_NE(content(folder_ / "cv/report.html").find("Cross-validation"), std::string::npos);

  const Json chosen = summary_of(landfall({"cca", "x.npy", "y.npy", "-p", "auto", "--json", "--quiet"}));
  EXPECT_EQ(chosen["components"], 2);
  EXPECT_EQ(chosen["correlations"].size(), chosen["components"]);
  expect_error(landfall({"cca", "x.npy", "y.npy", "-p", "some"}), 2,
               "--components: 'some' is not a whole number of at least 1 (see landfall cca --help)");

  const Json lda = summary_of(
      landfall({"cv", "lda", "iris.csv", "--label-column", "species", "--ridges", "0,0.1,100", "--json"}));
  EXPECT_GT(lda["values"][1][0], 0.95);
  EXPECT_EQ(lda["components"], Json({1, 2}));
  EXPECT_EQ(lda["choice"], Json({{"components", 1}, {"relative_ridge", 0}}));
  EXPECT_EQ(summary_of(landfall({"lda", "iris.csv", "--label-column", "species", "-p", "auto", "--json",
                                 "--quiet"}))["components"],
            1);
  EXPECT_EQ(lda["ridges"], Json({0, 0.1, 100}));
}

TEST_F(Trust, SourcesAndTheirNumberAreChosenByStability) {
  // Three sources that are cubes of normal numbers in eight columns, with a little noise.
  const Matrix<double> sources = gaussian<double>(2000, 3, {5, 0}).array().cube();
  write_npy<double>(folder_ / "s.npy", RowMatrix<double>(sources * gaussian<double>(3, 8, {6, 0}) +
                                                         0.02 * gaussian<double>(2000, 8, {7, 0})));
  write_npy<double>(folder_ / "noise.npy", RowMatrix<double>(gaussian<double>(2000, 5, {8, 0})));
  const auto run = landfall({"ica", "s.npy", "-p", "3", "--restarts", "4", "--out", "run"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err.find("warning"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("found in"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("5 of   5"), std::string::npos) << run.out;
  aligned_lines(run.out);
  const Json summary = Json::parse(content(folder_ / "run/summary.json"));
  EXPECT_EQ(summary["restarts"], 4);
  EXPECT_EQ(summary["stability"]["stable"], Json({true, true, true}));
  EXPECT_EQ(summary["stability"]["clusters"][0]["size"], 5);
  EXPECT_EQ(read_npy<double>(folder_ / "run/centrotypes.npy").rows(), 3);
  EXPECT_NE(content(folder_ / "run/report.html").find("Iq: how stable"), std::string::npos);

  const auto noise = landfall({"ica", "noise.npy", "--restarts", "6"});
  EXPECT_NE(noise.err.find("not come back from other starts and halves of the rows"), std::string::npos)
      << noise.err;

  const auto table = landfall({"cv", "ica", "s.npy", "--restarts", "4", "--out", "cv"});
  EXPECT_NE(table.out.find("worst Iq"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("-p 3: all of its components come back"), std::string::npos) << table.out;
  EXPECT_NE(content(folder_ / "cv/report.html").find("How many independent components"), std::string::npos);
  const Json choice = summary_of(landfall({"cv", "ica", "s.npy", "-p", "4", "--restarts", "2", "--json"}));
  EXPECT_EQ(choice["components"], Json({2, 3, 4}));
  EXPECT_EQ(choice["choice"], Json({{"components", 3}}));
  const Json chosen = summary_of(
      landfall({"ica", "s.npy", "-p", "auto", "--restarts", "4", "--out", "auto", "--json", "--quiet"}));
  EXPECT_EQ(chosen["components"], 3);
  EXPECT_EQ(chosen["component_choice"]["choice"], Json({{"components", 3}}));
  EXPECT_NE(content(folder_ / "auto/report.html").find("Stability and variance"), std::string::npos);
  const auto nothing = landfall({"cv", "ica", "noise.npy"});
  EXPECT_NE(nothing.out.find("No component comes back"), std::string::npos) << nothing.out;
  expect_error(landfall({"cv", "ica", "s.npy", "--restarts", "0"}), 2,
               "0 restarts, expected at least 1 to choose the number of components");
}

TEST_F(Trust, OneViewPredictsTheOther) {
  ASSERT_EQ(
      landfall({"cca", "x.npy", "y.npy", "-p", "2", "--held-out", "0.3", "--out", "run", "--quiet"}).code, 0);
  const Json summary = Json::parse(content(folder_ / "run/summary.json"));
  EXPECT_NEAR(summary["prediction_r2"][1][0], 0.8, 0.08);  // y = 2 x + noise
  EXPECT_NEAR(summary["prediction_r2"][1][4], 0, 0.08);
  ASSERT_EQ(
      landfall({"transform", "run", "x.npy", "--view", "left", "--predict-other", "-o", "guess.npy"}).code,
      0);
  const Matrix<double> guess = read_npy<double>(folder_ / "guess.npy"),
                       y = read_npy<double>(folder_ / "y.npy");
  ASSERT_EQ(guess.cols(), 5);
  EXPECT_NEAR(1 - (y - guess).col(0).squaredNorm() / (y.col(0).array() - y.col(0).mean()).square().sum(), 0.8,
              0.06);
  expect_error(landfall({"transform", "run", "x.npy", "y.npy", "--predict-other", "-o", "g.npy"}), 2,
               "--predict-other: expected a run of cca, and --view left or right with the file of that view");
}

TEST_F(Trust, ClassesHaveProbabilitiesPriorsAndAConfusionMatrix) {
  const Json summary = summary_of(
      landfall({"lda", "iris.csv", "--label-column", "species", "--out", "run", "--json", "--quiet"}));
  EXPECT_EQ(summary["confusion"], Json({{50, 0, 0}, {0, 48, 2}, {0, 1, 49}}));  // as in MASS::lda
  EXPECT_NEAR(summary["precision_by_class"][1], 48. / 49, 1e-12);
  EXPECT_NEAR(summary["recall_by_class"][1], 0.96, 1e-12);
  const Words scored{"transform", "run", "iris.csv", "--label-column", "species", "--predict-proba", "-o"};
  Words words = scored;
  words.push_back("p.csv");
  ASSERT_EQ(landfall(words).code, 0);
  EXPECT_EQ(content(folder_ / "p.csv").find("kind0,kind1,kind2\n"), 0U);
  words.back() = "p.npy";
  ASSERT_EQ(landfall(words).code, 0);
  const Matrix<double> p = read_npy<double>(folder_ / "p.npy");
  EXPECT_LT((p.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  words.back() = "q.npy";
  words.insert(words.end(), {"--priors", "1,0,1"});
  ASSERT_EQ(landfall(words).code, 0);
  EXPECT_EQ(read_npy<double>(folder_ / "q.npy").col(1).norm(), 0);
  words.back() = "1,2";
  words[words.size() - 3] = "r.npy";
  EXPECT_EQ(landfall(words).code, 2);
}

TEST_F(Trust, FiguresAreWrittenWithoutABrowser) {
  ASSERT_EQ(club({"--out", "run", "--quiet"}).code, 0);
  const auto run = landfall({"report", "run", "--figures", "svg"});
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string bars = content(folder_ / "run/figures/result-canonical-correlations.svg");
  EXPECT_EQ(bars.find("<svg xmlns"), 0U);
  EXPECT_NE(content(folder_ / "run/figures/loadings-correlation-circle.svg").find("Waist"),
            std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "run/figures"))
    EXPECT_NE(content(file.path().string()).find("</svg>"), std::string::npos) << file.path();
  EXPECT_EQ(club({"--out", "run", "--quiet", "--force"}).code, 0);  // figures are the run's own
}

TEST_F(Trust, ARunInsideAComparisonSaysHowToRepeatIt) {
  ASSERT_EQ(landfall({"compare", "cca", "x.npy", "y.npy", "-p", "2", "--methods", "exact", "--out", "both",
                      "--quiet"})
                .code,
            0);
  const Json summary = Json::parse(content(folder_ / "both/exact/summary.json"));
  const auto words = summary["command"].get<Words>();
  EXPECT_NE(std::find(words.begin(), words.end(), "both/exact"), words.end()) << summary["command"].dump();
  EXPECT_NE(content(folder_ / "both/exact/report.html").find("--out both/exact"), std::string::npos);
}

}  // namespace
}  // namespace landfall::test
