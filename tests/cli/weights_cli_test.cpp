// --weights: a column or a file, what is refused, and what the summary tells.
#include <landfall/linalg/random.hpp>

#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

class WeightsCommand : public ::testing::Test {
 protected:
  /// "table.csv" has two views of 120 rows, a class and a weight of 0, 1 or 2; "twice.csv" repeats rows as often as they weigh.
  WeightsCommand() {
    Matrix<double> rows = gaussian<double>(120, 6, {5});
    rows.col(3) += rows.col(0);
    const std::string names = "a,b,c,d,e,f,kind,w\n";
    std::string table = names, twice = names, file;
    for (Index i = 0; i < 120; ++i) {
      const Index weight = (i * i + i / 2) % 3;
      std::string line;
      for (Index j = 0; j < 6; ++j) line += fmt::format("{},", rows(i, j));
      line += fmt::format("{},{}\n", rows(i, 1) > 0.2 * rows(i, 2) ? "high" : "low", weight);
      table += line;
      for (Index k = 0; k < weight; ++k) twice += line;
      file += fmt::format("{}\n", weight);
      sum_ += static_cast<double>(weight);
      used_ += weight > 0;
    }
    folder_.file("table.csv", table);
    folder_.file("twice.csv", twice);
    folder_.file("weights.txt", file);
  }

  Outcome landfall(Words arguments) const {
    arguments.insert(arguments.end(), {"--threads", "1", "--json", "--quiet"});
    return run_program(folder_.path(), arguments);
  }
  Json summary(const Words& arguments) const { return summary_of(landfall(arguments)); }
  static void expect_near(const Json& a, const Json& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k].get<double>(), b[k].get<double>(), tolerance);
  }

  TemporaryFolder folder_;
  double sum_ = 0;
  Index used_ = 0;
};

const Words kWeightedCca{"--left", "a..c", "-p", "2", "--ridge", "0", "--exclude", "kind"};

Words words_with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(WeightsCommand, OfACcaAreAColumnOrAFile) {
  const Json column = summary(words_with({"cca", "table.csv", "--weights", "w"}, kWeightedCca)),
             file = summary(words_with({"cca", "table.csv", "--weights", "weights.txt", "--right", "d..f"},
                                       kWeightedCca)),
             twice = summary(words_with({"cca", "twice.csv", "--right", "d..f"}, kWeightedCca));
  EXPECT_EQ(column["weights"], "w");
  EXPECT_EQ(column["sum_of_weights"], sum_);
  EXPECT_EQ(column["samples"], used_);
  EXPECT_EQ(column["dropped_rows"], 120 - used_);
  EXPECT_EQ(column["features"], Json({3, 3}));  // neither kind nor w
  EXPECT_EQ(column["columns"][1], Json({"d", "e", "f"}));
  EXPECT_EQ(file["weights"], "weights.txt");
  EXPECT_EQ(file["correlations"], column["correlations"]);
  EXPECT_FALSE(column.contains("wilks"));
  expect_near(column["correlations"], twice["correlations"], 1e-9);
  EXPECT_FALSE(twice.contains("weights"));
  EXPECT_FALSE(twice.contains("sum_of_weights"));
}

TEST_F(WeightsCommand, OfLdaAndIca) {
  const Json lda = summary({"lda", "table.csv", "--label-column", "kind", "--weights", "w"}),
             twice = summary({"lda", "twice.csv", "--label-column", "kind", "--exclude", "w"});
  EXPECT_EQ(lda["features"], 6);
  expect_near(lda["eigenvalues"], twice["eigenvalues"], 1e-9);
  expect_near(lda["priors"], twice["priors"], 1e-12);
  for (std::size_t c = 0; c < 2; ++c) expect_near(lda["confusion"][c], twice["confusion"][c], 1e-9);
  const Json ica = summary({"ica", "table.csv", "--columns", "a,d,w", "--weights", "8"});
  EXPECT_EQ(ica["features"], 2);
  EXPECT_EQ(ica["samples"], used_);
}

TEST_F(WeightsCommand, AreRefusedInOneSentence) {
  folder_.file("short.txt", "1\n2\n3\n");
  folder_.file("negative.txt", "1\n-2\n3\n");
  folder_.file("wide.csv", "1,2\n3,4\n");
  const auto run = [&](const Words& more) {
    return landfall(words_with({"cca", "table.csv"}, words_with(kWeightedCca, more)));
  };
  expect_error(run({"--weights", "short.txt", "--right", "d..f"}), 3,
               "short.txt: 3 weights, but the data has a row 4");
  expect_error(run({"--weights", "negative.txt", "--right", "d..f"}), 3,
               "negative.txt: row 2 has the weight -2, expected a finite number that is not negative");
  expect_error(run({"--weights", "wide.csv", "--right", "d..f"}), 3,
               "wide.csv: 2 columns, expected one column of weights");
  const Outcome neither = run({"--weights", "nothing", "--right", "d..f"});
  EXPECT_EQ(neither.code, 2);
  EXPECT_NE(neither.err.find("there is no file 'nothing'"), std::string::npos) << neither.err;
}

TEST_F(WeightsCommand, ReachTestsRestartsAndChoices) {
  const Json tested = summary(words_with(
      {"cca", "table.csv", "--weights", "w", "--right", "d..f", "--permutations", "19"}, kWeightedCca));
  EXPECT_EQ(tested["permutation_p"].size(), tested["correlations"].size());
  const Words ica{"ica", "table.csv", "--columns", "a..f", "--weights", "w"};
  EXPECT_EQ(summary(words_with(ica, {"--restarts", "2"}))["stability"]["runs"], 3);
  EXPECT_EQ(summary(words_with(ica, {"-p", "auto", "--restarts", "2"}))["component_choice"]["samples"],
            used_);
  EXPECT_EQ(summary(words_with(ica, {"--method", "fastica"}))["samples"], used_);
  const Json choice = summary({"cv", "lda", "table.csv", "--label-column", "kind", "--weights", "w"}),
             plain = summary({"cv", "lda", "table.csv", "--label-column", "kind", "--exclude", "w"});
  EXPECT_NE(choice["values"], plain["values"]);
}

TEST_F(WeightsCommand, ReachCvAndCompare) {
  const Json choice =
      summary({"cv", "cca", "table.csv", "--left", "a..c", "--weights", "w", "--exclude", "kind"});
  EXPECT_EQ(choice["samples"], used_);
  const Json exact = summary(words_with({"cca", "table.csv", "--weights", "w"}, kWeightedCca));
  const Outcome compared =
      run_program(folder_.path(), words_with({"compare", "cca", "table.csv", "--weights", "w", "--methods",
                                              "lobpcg,als", "--json", "--quiet"},
                                             kWeightedCca));
  ASSERT_EQ(compared.code, 0) << compared.err;
  const Json comparison = Json::parse(compared.out);
  for (const auto& run : comparison["runs"])
    EXPECT_NEAR(run["summary"]["total_correlation"].get<double>(), exact["total_correlation"].get<double>(),
                1e-4);
}

TEST_F(WeightsCommand, ThatChangedAreRefusedByResume) {
  const Words run{"cca",      "table.csv", "--left",   "a..c", "--right",   "d..f",        "-p",     "1",
                  "--method", "landing",   "--passes", "3",    "--weights", "weights.txt", "--quiet"};
  ASSERT_EQ(run_program(folder_.path(), words_with(run, {"--out", "whole"})).code, 0);
  // an unfinished run: the last checkpoint of a finished one, alone
  std::filesystem::create_directory(folder_ / "half");
  std::filesystem::copy(folder_ / "whole/checkpoint", folder_ / "half/checkpoint");
  const Words resume = words_with(run, {"--out", "half", "--resume"});
  std::string weights = content(folder_ / "weights.txt");
  std::swap(weights[0], weights[2]);
  ASSERT_NE(weights, content(folder_ / "weights.txt"));
  folder_.file("other.txt", content(folder_ / "weights.txt"));
  folder_.file("weights.txt", weights);
  expect_error(run_program(folder_.path(), resume), 3,
               "half/checkpoint: the data changed since the checkpoint was written");
  folder_.file("weights.txt", content(folder_ / "other.txt"));
  EXPECT_EQ(run_program(folder_.path(), resume).code, 0);
}

}  // namespace
}  // namespace landfall::test
