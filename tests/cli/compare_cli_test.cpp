// landfall compare as a user runs it.
#include <landfall/data/formats/npy.hpp>

#include "cli/summary.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

/// Two views of 3000 rows that share two columns, beside noise.
class CompareTest : public ::testing::Test {
 protected:
  CompareTest() { write_views(3000); }

  void write_views(Index rows) const {
    const Matrix<float> shared = gaussian<float>(rows, 2, {1, 0});
    for (const auto& [name, columns, seed] : {std::tuple{"left.npy", 12, 2}, std::tuple{"right.npy", 9, 3}}) {
      Matrix<float> view = gaussian<float>(rows, columns, {static_cast<std::uint64_t>(seed), 0});
      view.leftCols(2) += 2 * shared;
      write_npy<float>(folder_ / name, view);
    }
  }

  Outcome compare(const Words& more) const {
    Words words{"compare"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--threads", "1"});
    return run_program(folder_.path(), words);
  }
  Json json(Words more) const {
    more.insert(more.end(), {"--json", "--quiet"});
    return summary_of(compare(more));
  }

  TemporaryFolder folder_;
};

const Words kCca{"cca", "left.npy", "right.npy", "-p", "2", "--memory", "1GiB"};

Words cca(const Words& more) {
  Words words = kCca;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(CompareTest, CurvesEndWhereTheRunsDid) {
  write_views(12000);  // more than landing starts from, so that its infeasibility is more than rounding
  const Json result =
      json(cca({"--methods", "exact,landing", "--passes", "1", "--guard", "0", "--out", "curves"}));
  EXPECT_FALSE(result["runs"][0].contains("curve"));
  const Json& run = result["runs"][1];
  ASSERT_GT(run["curve"].size(), 10U);
  EXPECT_EQ(run["curve"].back()["passes"], run["passes"]);
  EXPECT_NEAR(run["curve"].back()["regularized_total"], run["value"], 1e-5);
  const Json& views = run["summary"]["method_infeasibility"];
  const double infeasibility = std::hypot(views[0].get<double>(), views[1].get<double>());
  EXPECT_GT(infeasibility, 1e-6);
  EXPECT_NEAR(run["curve"].back()["infeasibility"], infeasibility, 1e-5);
  double last = 0;
  for (const auto& at : run["curve"]) {
    EXPECT_GT(at["passes"], last);
    last = at["passes"];
  }
}

TEST_F(CompareTest, MethodsAreSideBySideOnceForEachNumberOfPasses) {
  const Json result = json(cca({"--methods", "exact,landing", "--passes", "1,4"}));
  EXPECT_EQ(result["problem"], "cca");
  EXPECT_EQ(result["measure"], "regularized_total");
  const Json& runs = result["runs"];
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0]["name"], "exact");
  EXPECT_EQ(runs[1]["name"], "landing, 1 pass");
  EXPECT_EQ(runs[2]["name"], "landing, 4 passes");
  EXPECT_EQ(runs[0]["fraction"], 1.0);
  EXPECT_EQ(result["exact"]["value"], runs[0]["value"]);
  for (const auto& run : runs) {
    EXPECT_FALSE(run["failed"]);
    EXPECT_EQ(run["value"], run["summary"]["regularized_total"]);
    EXPECT_NEAR(run["fraction"], 1, 1e-2);
    EXPECT_LE(run["fraction"], 1 + 1e-6);
    EXPECT_GT(run["peak_memory_bytes"], 1 << 20);
    const Json& seconds = run["summary"]["seconds"];
    EXPECT_DOUBLE_EQ(run["seconds"], seconds["total"].get<double>() - seconds["evaluate"].get<double>());
  }
  EXPECT_NEAR(runs[1]["passes"], 1, 0.1);
  EXPECT_NEAR(runs[2]["passes"], 4, 0.1);
}

TEST_F(CompareTest, RunsAreThoseOfTheCommandItself) {
  const Json result =
      json(cca({"--methods", "landing", "--passes", "2", "--seed", "7", "--batch", "64", "--scale"}));
  Words words = kCca;
  words.insert(words.end(), {"--method", "landing", "--passes", "2", "--seed", "7", "--batch", "64",
                             "--scale", "--threads", "1", "--json"});
  const Json alone = summary_of(run_program(folder_.path(), words));
  const Json& run = result["runs"][0]["summary"];
  for (const char* key :
       {"correlations", "infeasibility", "batch", "seed", "scaled", "iterations", "landing"})
    EXPECT_EQ(run[key], alone[key]) << key;
  EXPECT_NEAR(result["runs"][0]["fraction"], 1, 1e-2) << "of exact, which was not asked for";
}

TEST_F(CompareTest, ExactIsLeftOutWhereItDoesNotFit) {
  Words words = cca({"--methods", "landing", "--passes", "1"});
  words[6] = "200KiB";
  const Json result = json(words);
  EXPECT_TRUE(result["exact"].is_null());
  EXPECT_TRUE(result["runs"][0]["fraction"].is_null());
}

TEST_F(CompareTest, TheFolderHoldsTheRunsAndTheComparison) {
  const Outcome run = compare(cca({"--methods", "exact,landing", "--passes", "1", "--out", "out"}));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err.find("exact ...\nlanding, 1 pass ...\n"), 0U) << run.err;
  const Words lines = aligned_lines(run.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NE(lines[0].find("total  of exact  infeasible  passes  seconds   memory"), std::string::npos);
  EXPECT_EQ(lines[1].find("exact "), 0U);
  EXPECT_EQ(lines[2].find("landing, 1 pass "), 0U);
  EXPECT_LE(lines[0].size(), 80U);
  const Json comparison = Json::parse(content(folder_ / "out/comparison.json"));
  for (const auto& one : comparison["runs"]) {
    const auto folder = folder_ / "out" / one["folder"].get<std::string>();
    EXPECT_EQ(Json::parse(content(folder / "summary.json")), one["summary"]);
    EXPECT_TRUE(std::filesystem::exists(folder / "weights_left.npy"));
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/landing-1-pass/history.csv"));

  const std::string report = content(folder_ / "out/report.html");
  EXPECT_NE(report.find("Comparison: canonical correlations"), std::string::npos);
  EXPECT_NE(report.find("\"landing, 1 pass\""), std::string::npos);
  std::filesystem::remove(folder_ / "out/report.html");
  EXPECT_EQ(run_program(folder_.path(), {"report", "out"}).code, 0);
  EXPECT_EQ(content(folder_ / "out/report.html"), report);

  expect_error(compare(cca({"--methods", "exact", "--out", "out"})), 2,
               "out: already exists; choose another folder or use --force");
  EXPECT_EQ(compare(cca({"--methods", "exact", "--out", "out", "--force", "--quiet"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/landing-1-pass"));
}

TEST_F(CompareTest, IcaAndPencilsHaveTheirOwnMeasures) {
  EXPECT_EQ(run_program(folder_.path(), {"data", "laplace-ica", "mix", "-N", "4000", "-n", "4"}).code, 0);
  const Json ica = json({"ica", "mix/data.npy", "--methods", "landing", "--truth", "mix/mixing.npy"});
  EXPECT_EQ(ica["measure"], "amari");
  EXPECT_EQ(ica["runs"][0]["value"], ica["runs"][0]["summary"]["amari"]);
  EXPECT_EQ(json({"ica", "mix/data.npy", "--methods", "landing"})["measure"], "negentropy");

  EXPECT_EQ(run_program(folder_.path(), {"data", "pencil", "pencil", "-n", "20"}).code, 0);
  const Json gevp = json({"gevp", "pencil/A.npy", "pencil/B.npy", "-p", "2", "--methods", "lobpcg,landing"});
  EXPECT_EQ(gevp["measure"], "eigenvalue_sum");
  for (const auto& run : gevp["runs"]) EXPECT_NEAR(run["fraction"], 1, 1e-9);
}

TEST_F(CompareTest, NumbersThatFailAreALineOfTheTable) {
  const Outcome run = compare(cca({"--methods", "landing-online,exact", "--step", "1e300", "--passes", "1"}));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("landfall: landing-online diverged after "), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("\nlanding-online, 1 pass      failed\nexact "), std::string::npos) << run.out;

  write_npy<float>(folder_ / "thin.npy", gaussian<float>(3000, 2, {5, 0}));
  const Outcome none =
      compare({"cca", "thin.npy", "right.npy", "-p", "3", "--methods", "landing,exact", "--quiet"});
  EXPECT_EQ(none.code, 4) << "there is nothing to compare";
  EXPECT_EQ(none.out, "");
}

TEST_F(CompareTest, BadUseAndBadDataEndWithTheirCodes) {
  const std::string see = " (see landfall compare cca --help)";
  expect_error(compare(kCca), 2, "--methods is required" + see);
  expect_error(
      compare(cca({"--methods", "exact,landng"})), 2,
      "--methods: 'landng' is not a method for this problem; see landfall methods; did you mean landing?" +
          see);
  expect_error(compare(cca({"--methods", "landing", "--passes", "1,x"})), 2,
               "--passes: 'x' is not a positive number" + see);
  expect_error(compare({"cca", "-", "right.npy", "-p", "2", "--methods", "exact"}), 2,
               "standard input can be read only once; compare takes files");
  expect_error(
      compare({"cca", "none.npy", "right.npy", "-p", "2", "--methods", "exact", "--quiet", "--out", "out"}),
      3, "none.npy: no such file");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << "nothing is left of a comparison that failed";
}

}  // namespace
}  // namespace landfall::test
