// landfall ica as a user runs it.
#include <landfall/data/formats/npy.hpp>
#include <landfall/models/ica/amari.hpp>

#include "summary.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

/// Mixtures of five Laplace and two uniform sources.
class IcaCommand : public ::testing::Test {
 protected:
  IcaCommand() {
    EXPECT_EQ(
        landfall({"data", "laplace-ica", "d", "-N", "20000", "-n", "7", "--uniform", "2", "--condition", "4"})
            .code,
        0);
  }
  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }
  Outcome ica(const Words& more) const {
    Words words{"ica", "d/data.npy", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }

  TemporaryFolder folder_;
};

TEST_F(IcaCommand, HelpFitsAPage) {
  expect_help(landfall({"ica", "--help"}));
}

// The power that a source has of others is of the order of 1/N for each of them.
TEST_F(IcaCommand, FindsTheSourcesAndTheirKinds) {
  for (const std::string precision : {"single", "double"}) {
    const std::string out = "run_" + precision;
    const auto run =
        ica({"--truth", "d/mixing.npy", "--precision", precision, "--json", "--out", out, "--seed", "3"});
    const Json summary = summary_of(run);
    expect_contract(summary, "ica");
    EXPECT_EQ(summary["method"], "landing");
    EXPECT_EQ(summary["samples"], 20000);
    EXPECT_EQ(summary["features"], 7);
    EXPECT_EQ(summary["components"], 7);
    EXPECT_EQ(summary["contrast"], "logcosh");
    EXPECT_EQ(summary["seed"], 3);
    EXPECT_EQ(summary["threads"], 1);
    EXPECT_EQ(summary["precision"], precision);
    EXPECT_EQ(summary["termination"], "converged");
    EXPECT_EQ(summary["mean_pass"], true);
    EXPECT_LT(summary["amari"], 2e-3);
    std::vector<std::string> kinds = summary["kinds"];
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "super-Gaussian"), 5);
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "sub-Gaussian"), 2);
    const std::vector<double> negentropy = summary["negentropy"];
    EXPECT_TRUE(std::is_sorted(negentropy.rbegin(), negentropy.rend()));

    EXPECT_EQ(content(folder_ / (out + "/summary.json")), run.out);
    const auto unmixing = read_npy<double>(folder_ / (out + "/unmixing.npy")),
               mixing = read_npy<double>(folder_ / (out + "/mixing.npy"));
    EXPECT_LT((unmixing * mixing - Matrix<double>::Identity(7, 7)).norm(), 1e-4);
    EXPECT_NEAR(amari_distance(unmixing, read_npy<double>(folder_ / "d/mixing.npy")), summary["amari"], 1e-9);
    EXPECT_EQ(read_npy<double>(folder_ / (out + "/mean.npy")).rows(), 7);
    const std::string history = content(folder_ / (out + "/history.csv"));
    EXPECT_EQ(history.find("iteration,passes,seconds,objective,infeasibility,stationarity,step\n"), 0U);
    EXPECT_EQ(std::count(history.begin(), history.end(), '\n') - 1, summary["iterations"]);
  }
}

TEST_F(IcaCommand, EveryContrastAndFewerComponents) {
  for (const std::string contrast : {"logcosh", "exp", "cube"}) {
    const Json summary = summary_of(ica({"--contrast", contrast, "--truth", "d/mixing.npy", "--json"}));
    EXPECT_EQ(summary["contrast"], contrast);
    EXPECT_LT(summary["amari"], 5e-3) << contrast;
  }
  const Json few = summary_of(ica({"-p", "2", "--json"}));
  EXPECT_EQ(few["components"], 2);
  EXPECT_EQ(few["negentropy"].size(), 2U);
  EXPECT_FALSE(few.contains("amari"));
}

TEST_F(IcaCommand, PrincipalComponentsAreTheDefaultForFewerComponents) {
  const Json pca = summary_of(ica({"-p", "2", "--json"})),
             none = summary_of(ica({"-p", "2", "--reduce", "none", "--json"}));
  EXPECT_EQ(pca["reduction"], "pca");
  EXPECT_GT(pca["explained_variance"], 0.2);
  EXPECT_LT(pca["explained_variance"], 1);
  EXPECT_EQ(none["reduction"], "none");
  EXPECT_FALSE(none.contains("explained_variance"));
  const double most = none["negentropy"][0], some = pca["negentropy"][0];
  EXPECT_GT(most, some);
  EXPECT_EQ(summary_of(ica({"--json"}))["reduction"], "none");
  EXPECT_EQ(ica({"-p", "2", "--reduce", "pca", "--quiet"}).out, ica({"-p", "2", "--quiet"}).out);
}

TEST_F(IcaCommand, FewRowsAreIteratedOverAndDependentColumnsAreAWarning) {
  const Matrix<double> rows = read_npy<double>(folder_ / "d/data.npy").topRows(500);
  Matrix<double> more(500, 8);
  more << rows, rows.col(2);
  write_npy<double>(folder_ / "more.npy", more);
  for (const std::string precision : {"single", "double"}) {
    const auto run =
        landfall({"ica", "more.npy", "--json", "--out", "run_" + precision, "--precision", precision});
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.err, "landfall: warning: more.npy: 8 columns have rank 7, so p = 7\n");
    const Json summary = Json::parse(run.out, nullptr, false);
    expect_contract(summary, "ica");
    EXPECT_EQ(summary["method"], "fixed-point");
    EXPECT_EQ(summary["reason"], "500 rows are few enough to iterate over all of them");
    EXPECT_EQ(summary["components"], 7);
    EXPECT_EQ(summary["converged"], true);
    EXPECT_EQ(summary["termination"], "converged");
    EXPECT_EQ(summary["warnings"], Json({"more.npy: 8 columns have rank 7, so p = 7"}));
    EXPECT_LT(summary["infeasibility"], 1e-4);
  }
  expect_error(landfall({"ica", "more.npy", "-p", "8", "--out", "run"}), 4,
               "more.npy: rank 7, expected at least p = 8");
}

TEST_F(IcaCommand, LandingThatDidNotConvergeSaysSo) {
  const auto run = ica({"--passes", "0.1", "--batch", "64", "--step", "1e-6", "--json", "--warm-up", "0"});
  EXPECT_EQ(run.code, 0);
  const Json summary = Json::parse(run.out, nullptr, false);
  EXPECT_EQ(summary["converged"], false);
  ASSERT_EQ(summary["warnings"].size(), 1U);
  const std::string warning = summary["warnings"][0];
  EXPECT_EQ(warning.find("landing did not converge in "), 0U) << warning;
  EXPECT_EQ(run.err, "landfall: warning: " + warning + "\n");
  EXPECT_LT(summary["infeasibility"], 1e-4);
}

TEST_F(IcaCommand, TheTableAlignsAndQuietIsTheTableAlone) {
  const auto run = ica({"--truth", "d/mixing.npy", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  const std::size_t last = run.out.find("       Amari distance  ");
  ASSERT_NE(last, std::string::npos) << run.out;
  const auto lines = aligned_lines(run.out.substr(0, last));
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0], "       source          negentropy   kurtosis  variance");
  EXPECT_EQ(lines[1].find("    1  super-Gaussian  "), 0U) << lines[1];
  EXPECT_EQ(lines[7].find("    7  sub-Gaussian    "), 0U) << lines[7];
  const auto loud = ica({"--method", "landing"});
  EXPECT_EQ(loud.err.find("landing (requested): 20000 rows, no ridge, "), 0U) << loud.err;
  EXPECT_EQ(std::count(loud.err.begin(), loud.err.end(), '\n'), 1);
}

TEST_F(IcaCommand, ConstantColumnsAreSaidAndHaveNoWeight) {
  Matrix<float> more(20000, 8);
  more << read_npy<float>(folder_ / "d/data.npy"), Matrix<float>::Constant(20000, 1, 3);
  write_npy<float>(folder_ / "more.npy", more);
  const auto run = landfall({"ica", "more.npy", "--out", "run"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err.find("landfall: warning: more.npy: left out 1 constant column: 8\nlanding ("), 0U)
      << run.err;
  const auto unmixing = read_npy<float>(folder_ / "run/unmixing.npy");
  EXPECT_EQ(unmixing.rows(), 7);
  EXPECT_TRUE((unmixing.col(7).array() == 0).all());
  EXPECT_EQ(Json::parse(content(folder_ / "run/summary.json"))["dropped_columns"], std::vector<int>{7});
}

TEST_F(IcaCommand, MemoryIsThatOfTheRunNotOfWhoStartedIt) {
  const std::vector<char> ours(std::size_t{512} << 20, 1);
  const auto run = ica({"--json", "--quiet"});
  EXPECT_LT(Json::parse(run.out)["peak_memory_bytes"], ours.size()) << run.err;
}

TEST_F(IcaCommand, WrongUseBadDataAndFailedNumbersAreSentences) {
  const auto before = folder_.names();
  const std::string see = " (see landfall ica --help)";
  expect_error(landfall({"ica"}), 2, "DATA is required" + see);
  expect_error(ica({"--contrast", "square"}), 2, "--contrast: 'square' is not logcosh, exp or cube" + see);
  expect_error(ica({"--reduce", "svd"}), 2, "--reduce: 'svd' is not pca or none" + see);
  expect_error(ica({"--method", "exact"}), 2,
               "--method: 'exact' is not a method for this problem; see landfall methods" + see);
  expect_error(ica({"--method", "fastica", "--contrast", "cube"}), 2,
               "fastica supports only the contrast logcosh, got cube");
  expect_error(ica({"-p", "0"}), 2, "--components: '0' is not a whole number of at least 1" + see);
  expect_error(ica({"--out", "d"}), 2, "d: already exists; choose another folder or use --force");
  expect_error(landfall({"ica", "none.npy"}), 3, "none.npy: no such file");
  expect_error(ica({"--truth", "none.npy"}), 3, "none.npy: no such file");
  expect_error(ica({"-p", "3", "--truth", "d/mixing.npy", "--out", "run"}), 3,
               "d/mixing.npy: 7x7, expected 7x3: a row for each column of d/data.npy, a column for each "
               "component");
  expect_error(ica({"-p", "8", "--out", "run"}), 4,
               "d/data.npy: 7 non-constant columns, expected at least p = 8");
  expect_error(ica({"--memory", "20KiB"}), 2,
               "landing needs 24 KiB of memory, expected at most the 20 KiB that --memory allows");
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(IcaCommand, RowsThatSinglePrecisionLosesAreASentence) {
  const auto rows = read_npy<double>(folder_ / "d/data.npy");
  for (const auto& [shift, sentence] :
       {std::pair{1e12, "far.npy: all 7 columns are constant in single precision"},
        std::pair{1e7,
                  "far.npy: rank 0, expected at least 1, in single precision; the files have more: try "
                  "--precision double"}}) {
    write_npy<double>(folder_ / "far.npy", (rows.array() + shift).matrix());
    expect_error(landfall({"ica", "far.npy", "--precision", "single"}), shift > 1e8 ? 3 : 4, sentence);
  }
  EXPECT_EQ(landfall({"ica", "far.npy"}).code, 0) << "the precision of the file";
}

}  // namespace
}  // namespace landfall::test
