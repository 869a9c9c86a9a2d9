// landfall lda as a user runs it: Fisher's irises, whose discriminants are known.
#include <landfall/data/formats/npy.hpp>
#include <landfall/linalg/random.hpp>

#include "models/iris.hpp"
#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

constexpr std::array<const char*, 3> kSpecies{"setosa", "versicolor", "virginica"};

class LdaCommand : public ::testing::Test {
 protected:
  LdaCommand() {
    write_npy<double>(folder_ / "iris.npy", iris_);
    std::string names, table = "a,b,species,c,d\n", sparse;
    for (Index i = 0; i < 150; ++i) {
      const char* species = kSpecies[static_cast<std::size_t>(i / 50)];
      const auto row = iris_.row(i);
      names += fmt::format("{}\n", species);
      table += fmt::format("{},{},{},{},{}\n", row(0), row(1), species, row(2), row(3));
      sparse += fmt::format("{} 1:{} 2:{} 3:{} 4:{}\n", i / 50, row(0), row(1), row(2), row(3));
    }
    folder_.file("species.txt", names);
    folder_.file("iris.csv", table);
    folder_.file("iris.svm", sparse);
  }
  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }
  Outcome lda(const Words& more) const {
    Words words{"lda", "iris.npy", "--labels", "species.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }

  TemporaryFolder folder_;
  RowMatrix<double> iris_ = iris<double>();
};

TEST_F(LdaCommand, HelpFitsAPage) {
  expect_help(landfall({"lda", "--help"}));
}

// scikit-learn's numbers, as in the tests of fit_lda.
TEST_F(LdaCommand, IrisIsKnown) {
  const auto run = lda({"--ridge", "0", "--precision", "double", "--json", "--out", "run"});
  const Json summary = summary_of(run);
  expect_contract(summary, "lda");
  EXPECT_EQ(summary["method"], "exact");
  EXPECT_EQ(summary["samples"], 150);
  EXPECT_EQ(summary["features"], 4);
  EXPECT_EQ(summary["components"], 2);
  EXPECT_NEAR(summary["eigenvalues"][0], 32.1919292, 1e-6);
  EXPECT_NEAR(summary["eigenvalues"][1], 0.285391043, 1e-8);
  EXPECT_NEAR(summary["explained_ratio"][0], 0.9912126, 1e-7);
  EXPECT_DOUBLE_EQ(summary["training_accuracy"], 0.98);
  EXPECT_EQ(summary["classes"], (Words{"setosa", "versicolor", "virginica"}));
  for (const double prior : summary["priors"]) EXPECT_NEAR(prior, 1. / 3, 1e-15);
  EXPECT_FALSE(summary.contains("held_out_accuracy"));

  EXPECT_EQ(content(folder_ / "run/summary.json"), run.out);
  const auto weights = read_npy<double>(folder_ / "run/weights.npy");
  EXPECT_NEAR(weights(3, 1), 2.86801283, 1e-7);
  const Matrix<double> mean = read_npy<double>(folder_ / "run/mean.npy");
  EXPECT_LT((mean - iris_.colwise().mean().transpose()).norm(), 1e-13);
  const Matrix<double> centres = read_npy<double>(folder_ / "run/centres.npy");
  for (Index c = 0; c < 3; ++c) {
    const Vector<double> of_class = iris_.middleRows(50 * c, 50).colwise().mean().transpose() - mean;
    EXPECT_LT((weights.transpose() * of_class - centres.col(c)).norm(), 1e-12);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/history.csv"));
}

TEST_F(LdaCommand, LabelsMayBeInAFileAColumnOrTheRows) {
  const Json known = summary_of(lda({"--json"}));
  const auto expect_same = [&](const Words& arguments, const Words& classes) {
    SCOPED_TRACE(arguments[1] + " " + arguments.back());
    Words words = arguments;
    words.push_back("--json");
    const Json summary = summary_of(landfall(words));
    EXPECT_EQ(summary["features"], 4);
    EXPECT_EQ(summary["classes"], classes);
    EXPECT_NEAR(summary["eigenvalues"][0], known["eigenvalues"][0], 1e-2);
    EXPECT_DOUBLE_EQ(summary["training_accuracy"], 0.98);
  };
  const Words species(kSpecies.begin(), kSpecies.end()), digits{"0", "1", "2"};
  expect_same({"lda", "iris.csv", "--label-column", "species"}, species);
  expect_same({"lda", "iris.csv", "--label-column", "3"}, species);
  expect_same({"lda", "iris.svm"}, digits);
  expect_same({"lda", "iris.npy", "--labels", "iris.svm"}, digits);
}

TEST_F(LdaCommand, LandingAgreesAndLeavesItsHistory) {
  const Json exact = summary_of(lda({"--json", "--ridge", "1e-3"}));
  const Json landing =
      summary_of(lda({"--json", "--ridge", "1e-3", "--method", "landing", "--passes", "50", "--out", "run"}));
  expect_contract(landing, "lda");
  EXPECT_EQ(landing["method"], "landing");
  EXPECT_EQ(landing["reason"], "requested");
  EXPECT_NEAR(landing["eigenvalues"][0], exact["eigenvalues"][0], 1e-2);
  EXPECT_NEAR(landing["eigenvalues"][1], exact["eigenvalues"][1], 1e-3);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/history.csv"));
  EXPECT_EQ(summary_of(lda({"--json", "--memory", "100KiB"}))["method"], "landing");
}

TEST_F(LdaCommand, TheTableShowsSharesAndAccuracies) {
  const auto run = lda({"--held-out", "0.2", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  std::istringstream text(run.out);
  Words lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5U) << run.out;
  EXPECT_EQ(lines[0], "          eigenvalue  explained");
  EXPECT_EQ(lines[1].size(), lines[0].size());
  EXPECT_EQ(lines[1].substr(lines[1].size() - 2), " %");
  EXPECT_EQ(lines[3].find("accuracy  "), 0U);
  EXPECT_EQ(lines[4].find("held out  "), 0U);

  const Json summary = summary_of(lda({"--held-out", "0.2", "--json"}));
  const int training = summary["samples"], tested = summary["held_out_samples"];
  EXPECT_EQ(training + tested, 150);
  EXPECT_TRUE(lines[3].ends_with(fmt::format("of {} rows", training))) << lines[3];
  EXPECT_TRUE(lines[4].ends_with(fmt::format("of {} rows", tested))) << lines[4];
  EXPECT_GE(summary["held_out_accuracy"], 0.9);

  const auto loud = lda({});
  EXPECT_EQ(loud.err.find("exact ("), 0U) << loud.err;
  EXPECT_NE(loud.err.find("): 150 rows, no ridge, "), std::string::npos) << loud.err;
  EXPECT_NE(loud.err.find(", 1 pass, "), std::string::npos) << loud.err;
}

// On the first line it looks like a header.
TEST_F(LdaCommand, AClassOfOneRowIsAClass) {
  const std::string species = content(folder_ / "species.txt");
  for (const std::size_t row : {0U, 7U}) {
    std::string names = species;
    names.replace(7 * row, 6, "unique");
    folder_.file("species.txt", names);
    const Json summary = summary_of(lda({"--json"}));
    EXPECT_EQ(summary["classes"], (Words{"setosa", "unique", "versicolor", "virginica"}));
    EXPECT_EQ(summary["components"], 3);
    EXPECT_NEAR(summary["priors"][1], 1. / 150, 1e-12);
  }
  folder_.file("species.txt", "name\n" + species);
  EXPECT_EQ(summary_of(lda({"--json"}))["classes"], (Words{"setosa", "versicolor", "virginica"}));
}

TEST_F(LdaCommand, NamesThatAreNotUtf8DoNotEndTheRun) {
  std::string names = content(folder_ / "species.txt");
  for (std::size_t at = 0; (at = names.find("setosa", at)) != std::string::npos;) names[at + 1] = '\xe9';
  folder_.file("species.txt", names);
  const Json summary = summary_of(lda({"--json", "--out", "run"}));
  EXPECT_EQ(summary["classes"][0], "s\xef\xbf\xbdtosa");
}

TEST_F(LdaCommand, WrongUseIsOneSentenceAndTwo) {
  const auto before = folder_.names();
  const std::string see = " (see landfall lda --help)";
  expect_error(landfall({"lda"}), 2, "DATA is required" + see);
  expect_error(landfall({"lda", "iris.npy"}), 2,
               "iris.npy: only svmlight files contain labels; expected --labels FILE or "
               "--label-column NAME");
  expect_error(lda({"--label-column", "2"}), 2, "--labels excludes --label-column" + see);
  expect_error(landfall({"lda", "iris.csv", "--label-column", "genus"}), 2,
               "iris.csv: no column 'genus', expected a name in the header or a number from 1 to 5");
  expect_error(lda({"-p", "3"}), 4, "p = 3, expected at most 2: 3 classes span at most one dimension less");
  expect_error(lda({"--no-center"}), 2, "unknown option '--no-center'" + see);
  expect_error(lda({"--out", "iris.npy"}), 2,
               "iris.npy: already exists; choose another folder or use --force");
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(LdaCommand, BadDataIsOneSentenceAndThree) {
  const auto bad = [&](const std::string& labels, const std::string& sentence) {
    folder_.file("bad.txt", labels);
    expect_error(landfall({"lda", "iris.npy", "--labels", "bad.txt", "--out", "run"}), 3, sentence);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
  };
  std::string one;
  for (int i = 0; i < 150; ++i) one += "iris\n";
  bad(one, "iris.npy: 1 class among the labels of 150 rows, expected at least 2");
  bad(one.substr(5), "bad.txt has 149 labels and iris.npy has 150 rows; expected the same number");
  bad("a\n\nb\n", "bad.txt: line 2: no label");
  bad("a,b\n", "bad.txt: line 1: several fields in 'a,b', expected one label");
  bad("", "bad.txt: empty, expected labels");
  expect_error(landfall({"lda", "iris.npy", "--labels", "none.txt"}), 3, "none.txt: no such file");
  EXPECT_EQ(landfall({"lda", "iris.csv", "--labels", "species.txt", "--quiet"}).err,
            "landfall: warning: iris.csv: a column of text is left out: 'species' ('setosa' in row 1); "
            "--categorical "
            "one-hot makes indicator columns of text\n");
}

TEST_F(LdaCommand, DependentColumnsAreAWarning) {
  RowMatrix<double> twice(150, 5);
  twice << iris_, iris_.col(0);
  write_npy<double>(folder_ / "twice.npy", twice);
  const auto run = landfall({"lda", "twice.npy", "--labels", "species.txt", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err,
            "landfall: warning: twice.npy: 1 of 5 columns depend on the others; solved within the 4 "
            "dimensions they "
            "span\n");
}

TEST_F(LdaCommand, FailedNumbersAreOneSentenceAndFour) {
  RowMatrix<double> wide(150, 200);
  for (Index j = 0; j < 200; ++j)
    for (Index i = 0; i < 150; ++i) wide(i, j) = std::sin(static_cast<double>(1 + i * (j + 3) % 151));
  write_npy<double>(folder_ / "wide.npy", wide);
  expect_error(landfall({"lda", "wide.npy", "--labels", "species.txt", "--ridge", "0"}), 4,
               "wide.npy: the covariance within classes is singular, expected a ridge above 0");
}

}  // namespace
}  // namespace landfall::test
