// landfall transform as a user runs it: scores of the rows a run was fitted on are what the run says of them.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/linalg/random.hpp>

#include "data/read_all.hpp"
#include "models/iris.hpp"
#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

class TransformCommand : public ::testing::Test {
 protected:
  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }
  /// A fit that goes well, into the folder `run`.
  Json fit(Words arguments, const std::string& run = "run") const {
    arguments.insert(arguments.end(), {"--json", "--out", run, "--threads", "1"});
    return summary_of(landfall(arguments));
  }
  Outcome transform(const Words& more, const std::string& run = "run") const {
    Words words{"transform", run};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }
  Matrix<double> scores(const Words& data, const std::string& run = "run") const {
    std::filesystem::remove(folder_ / "scores.npy");
    Words words = data;
    words.insert(words.end(), {"-o", "scores.npy", "--quiet"});
    const auto outcome = transform(words, run);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
    return read_npy<double>(folder_ / "scores.npy");
  }
  void write(const std::string& name, const Matrix<double>& m) const { write_npy<double>(folder_ / name, m); }
  void planted() const {
    EXPECT_EQ(landfall({"data", "planted-cca", "d", "-N", "3000", "--left", "12", "--right", "9",
                        "--correlations", "0.9,0.6"})
                  .code,
              0);
  }
  void irises() const {
    const RowMatrix<double> rows = iris<double>();
    write("iris.npy", rows);
    std::string names, table = "a,b,species,c,d\n";
    for (Index i = 0; i < 150; ++i) {
      const char* species = i < 50 ? "\"setosa, Alaska\"" : i < 100 ? "versicolor" : "virginica";
      const auto row = rows.row(i);
      names += fmt::format("{}\n", species);
      table += fmt::format("{},{},{},{},{}\n", row(0), row(1), species, row(2), row(3));
    }
    folder_.file("species.txt", names);
    folder_.file("iris.csv", table);
  }

  TemporaryFolder folder_;
};

Matrix<double> second_moment(const Matrix<double>& a, const Matrix<double>& b) {
  return a.transpose() * b / static_cast<double>(a.rows());
}

TEST_F(TransformCommand, HelpFitsAPage) {
  expect_help(landfall({"transform", "--help"}));
}

// X'(S + ridge I)X = I and X'S_xy Y = diag(rho), with the means of the fit.
TEST_F(TransformCommand, ScoresOfCcaHaveTheCorrelationsOfTheRun) {
  planted();
  for (const Words& more : {Words{}, Words{"--precision", "double"}, Words{"--method", "landing", "--scale"},
                            Words{"--no-center"}}) {
    SCOPED_TRACE(more.empty() ? "as it is" : more[0]);
    Words arguments{"cca", "d/left.npy", "d/right.npy", "-p", "2", "--ridge", "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::filesystem::remove_all(folder_ / "run");
    const Json summary = fit(arguments);
    const Matrix<double> both = scores({"d/left.npy", "d/right.npy"});
    ASSERT_EQ(both.rows(), 3000);
    ASSERT_EQ(both.cols(), 4);
    const Matrix<double> left = both.leftCols(2), right = both.rightCols(2);
    const Matrix<double> cross = second_moment(left, right);
    const double rounding = summary["precision"] == "double" ? 1e-12 : 2e-5;
    EXPECT_NEAR(cross(0, 0), summary["regularized_correlations"][0], rounding);
    EXPECT_NEAR(cross(1, 1), summary["regularized_correlations"][1], rounding);
    EXPECT_NEAR(cross(0, 1), 0, rounding);
    if (summary["centred"] == true) {
      EXPECT_LT(both.colwise().mean().norm(), rounding);
    }
    if (summary["scaled"] == false) {
      const Matrix<double> w = read_npy<double>(folder_ / "run/weights_left.npy");
      const Matrix<double> gram = second_moment(left, left) + 0.01 * w.transpose() * w;
      EXPECT_LT((gram - Matrix<double>::Identity(2, 2)).norm(), rounding);
    }
    EXPECT_EQ(scores({"d/left.npy", "--view", "left"}), left);
    EXPECT_EQ(scores({"d/right.npy", "--view", "right"}), right);
    EXPECT_NE(content(folder_ / "scores.npy").find(rounding < 1e-6 ? "'<f8'" : "'<f4'"), std::string::npos);
  }
}

TEST_F(TransformCommand, TheEndOfTheNameDecidesTheFormat) {
  planted();
  fit({"cca", "d/left.npy", "d/right.npy", "-p", "2"});
  const Matrix<double> known = scores({"d/left.npy", "d/right.npy"});
  for (const std::string out : {"s.csv", "s.tsv", "s.h5", "t.h5:/scores", "s.mtx", "s.svm"}) {
    const auto run = transform({"d/left.npy", "d/right.npy", "-o", out});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, "wrote " + out + ", 3000x4\n");
    const auto source = open_source<double>(folder_ / out);
    const Matrix<double> found = read_all(*source, 1000).rows;
    // Text has the digits of single precision.
    ASSERT_EQ(found.rows(), known.rows()) << out;
    EXPECT_EQ(found.cast<float>(), known.cast<float>()) << out;
  }
}

TEST_F(TransformCommand, SourcesOfIcaAreUncorrelatedAndOfUnitVariance) {
  ASSERT_EQ(landfall({"data", "laplace-ica", "d", "-N", "5000", "-n", "4", "--condition", "3"}).code, 0);
  fit({"ica", "d/data.npy", "-p", "3"});
  const Matrix<double> sources = scores({"d/data.npy"});
  ASSERT_EQ(sources.cols(), 3);
  EXPECT_LT(sources.colwise().mean().norm(), 1e-5);
  EXPECT_LT((second_moment(sources, sources) - Matrix<double>::Identity(3, 3)).norm(), 1e-4);
  // mean + mixing sources is the regression of the rows on the sources.
  const Matrix<double> rows = read_npy<double>(folder_ / "d/data.npy");
  const Matrix<double> centred = rows.rowwise() - rows.colwise().mean();
  EXPECT_LT((second_moment(centred, sources) - read_npy<double>(folder_ / "run/mixing.npy")).norm(), 1e-4);
}

TEST_F(TransformCommand, ScoresAndClassesOfLda) {
  irises();
  const Json summary =
      fit({"lda", "iris.npy", "--labels", "species.txt", "--ridge", "0", "--precision", "double"});
  const Matrix<double> found = scores({"iris.npy"});
  Matrix<double> within = found, means(3, 2);
  for (Index c = 0; c < 3; ++c) {
    means.row(c) = found.middleRows(50 * c, 50).colwise().mean();
    within.middleRows(50 * c, 50).rowwise() -= means.row(c);
  }
  EXPECT_LT((second_moment(within, within) - Matrix<double>::Identity(2, 2)).norm(), 1e-10);
  const Matrix<double> between = second_moment(means, means);
  EXPECT_NEAR(between(0, 0), summary["eigenvalues"][0], 1e-8);
  EXPECT_NEAR(between(1, 1), summary["eigenvalues"][1], 1e-8);
  EXPECT_EQ(scores({"iris.csv", "--label-column", "species"}), found);

  const auto run = transform({"iris.npy", "-o", "classes.txt", "--predict"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "wrote classes.txt, the classes of 150 rows\n");
  std::istringstream predicted(content(folder_ / "classes.txt")), known(content(folder_ / "species.txt"));
  int right = 0, rows = 0;
  for (std::string a, b; std::getline(predicted, a); ++rows) {
    ASSERT_TRUE(std::getline(known, b));
    right += a == b;
  }
  EXPECT_EQ(rows, 150);
  EXPECT_DOUBLE_EQ(right / 150., summary["training_accuracy"]);
}

TEST_F(TransformCommand, EigenvectorsOfAPencilAreWeightsToo) {
  ASSERT_EQ(landfall({"data", "pencil", "d", "-n", "6"}).code, 0);
  fit({"gevp", "d/A.npy", "d/B.npy", "-p", "2"});
  const Matrix<double> rows = gaussian<double>(10, 6, {1});
  write("rows.npy", rows);
  EXPECT_LT((scores({"rows.npy"}) - rows * read_npy<double>(folder_ / "run/eigenvectors.npy")).norm(), 1e-13);
}

TEST_F(TransformCommand, MissingValuesGoByTheRuleOfTheRun) {
  irises();
  Matrix<double> holes = iris<double>();
  holes(3, 1) = std::nan("");
  holes(140, 0) = HUGE_VAL;
  write("holes.npy", holes);
  const Words run{"lda", "holes.npy", "--labels", "species.txt", "--precision", "double", "--missing"};
  const auto with = [&](const std::string& rule) {
    Words words = run;
    words.push_back(rule);
    fit(words, rule);
    return scores({"holes.npy"}, rule);
  };
  const Matrix<double> replaced = with("mean");
  const Matrix<double> mean = read_npy<double>(folder_ / "mean/mean.npy"),
                       weights = read_npy<double>(folder_ / "mean/weights.npy");
  Matrix<double> filled = holes;
  filled(3, 1) = mean(1, 0);
  filled(140, 0) = mean(0, 0);
  EXPECT_LT((replaced - (filled.rowwise() - mean.col(0).transpose()) * weights).norm(), 1e-10);

  const Matrix<double> fewer = with("drop");
  ASSERT_EQ(fewer.rows(), 148);
  const auto said = transform({"holes.npy", "-o", "said.npy"}, "drop");
  EXPECT_EQ(said.err, "2 rows dropped because of missing values\nwrote said.npy, 148x2\n");
  write("iris_without.npy", iris<double>());
  const Matrix<double> whole = scores({"iris_without.npy"}, "drop");
  EXPECT_LT((fewer.topRows(3) - whole.topRows(3)).norm(), 1e-14);
  EXPECT_LT((fewer.row(3) - whole.row(4)).norm(), 1e-14);
  EXPECT_LT((fewer.bottomRows(9) - whole.bottomRows(9)).norm(), 1e-14);

  fit({"lda", "iris.npy", "--labels", "species.txt"}, "error");
  expect_error(
      transform({"holes.npy", "-o", "no.npy"}, "error"), 3,
      "holes.npy: row 4, column 2 is NaN; every entry must be finite (or --missing drop, or --missing mean)");
  EXPECT_EQ(scores({"holes.npy", "--missing", "drop"}, "error").rows(), 148);
  write("nothing.npy", Matrix<double>::Constant(2, 4, std::nan("")));
  expect_error(transform({"nothing.npy", "-o", "no.npy", "--missing", "drop"}, "error"), 3,
               "nothing.npy: all 2 rows have missing values");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "no.npy"));
}

TEST_F(TransformCommand, ARunWithoutCentringHasNoMeansForMissingValues) {
  planted();
  fit({"cca", "d/left.npy", "d/right.npy", "-p", "1", "--no-center", "--missing", "mean"});
  EXPECT_EQ(scores({"d/left.npy", "d/right.npy"}).rows(), 3000);
  Matrix<double> left = read_npy<double>(folder_ / "d/left.npy");
  left(1, 2) = std::nan("");
  write("left.npy", left);
  expect_error(
      transform({"left.npy", "--view", "left", "-o", "s.npy"}), 3,
      "left.npy: row 2, column 3 is NaN; every entry must be finite (or --missing drop, or --missing mean)");
  expect_error(transform({"left.npy", "--view", "left", "-o", "s.npy", "--missing", "mean"}), 2,
               "--missing mean: run was fitted without centring, so it has no means");
  EXPECT_EQ(scores({"left.npy", "--view", "left", "--missing", "drop"}).rows(), 2999);
}

TEST_F(TransformCommand, ARowMissingInOneViewIsDroppedInBoth) {
  planted();
  fit({"cca", "d/left.npy", "d/right.npy", "-p", "1"});
  Matrix<double> left = read_npy<double>(folder_ / "d/left.npy"),
                 right = read_npy<double>(folder_ / "d/right.npy");
  const Matrix<double> whole = scores({"d/left.npy", "d/right.npy"});
  left(0, 0) = right(2999, 8) = std::nan("");
  write("left.npy", left);
  write("right.npy", right);
  const Matrix<double> kept = scores({"left.npy", "right.npy", "--missing", "drop"}),
                       expected = whole.middleRows(1, 2998);
  ASSERT_EQ(kept.rows(), expected.rows());
  // A row may come to lie in another place of its batch, where BLAS sums in another order.
  EXPECT_LE((kept - expected).cwiseAbs().maxCoeff(), rounding<float>(expected.cwiseAbs().maxCoeff()));
}

TEST_F(TransformCommand, SvmlightRowsAreAsWideAsTheRun) {
  folder_.file("all.svm", "1 1:1 4:2\n2 2:3 3:1\n1 1:2 4:1\n2 2:2 3:2\n1 1:1.5 3:0.5\n2 1:0.5 2:1\n");
  fit({"lda", "all.svm", "--ridge", "0.1", "--precision", "double"});
  const Matrix<double> known = scores({"all.svm"});
  folder_.file("narrow.svm", "1 2:3 3:1\n");
  EXPECT_LT((scores({"narrow.svm"}) - known.row(1)).norm(), 1e-14);
  folder_.file("wide.svm", "1 2:3 5:1\n");
  expect_error(transform({"wide.svm", "-o", "no.npy"}), 3,
               "wide.svm: 5 columns, expected the 4 that run was fitted on");
  folder_.file("zero.svm", "1 0:3 3:1\n");
  expect_error(transform({"zero.svm", "-o", "no.npy"}), 3,
               "zero.svm: counts columns from 0, expected 1 as in the data of run");
  // Counted from 0: index 3 is the last column here.
  folder_.file("zeros.svm", "1 0:1 3:2\n2 1:3 2:1\n1 0:2 3:1\n2 1:2 2:2\n1 0:1.5 2:0.5\n2 0:0.5 1:1\n");
  fit({"lda", "zeros.svm", "--ridge", "0.1", "--precision", "double"}, "from_zero");
  folder_.file("narrow.svm", "1 1:3 2:1\n");
  EXPECT_LT((scores({"narrow.svm"}, "from_zero") - known.row(1)).norm(), 1e-14);
}

TEST_F(TransformCommand, WrongUseIsOneSentenceAndTwo) {
  planted();
  irises();
  fit({"cca", "d/left.npy", "d/right.npy", "-p", "2"}, "cca");
  fit({"lda", "iris.npy", "--labels", "species.txt"}, "lda");
  const auto before = folder_.names();
  const std::string see = " (see landfall transform --help)";
  const auto wrong = [&](const Words& arguments, const std::string& sentence) {
    Words words{"transform"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    expect_error(landfall(words), 2, sentence);
  };
  wrong({}, "RUN is required" + see);
  wrong({"lda"}, "DATA is required" + see);
  wrong({"lda", "iris.npy"}, "--out is required" + see);
  wrong({"lda", "iris.npy", "-o", "iris.csv"}, "iris.csv: already exists; choose another file");
  wrong({"lda", "iris.npy", "-o", "s.xls"},
        "s.xls: unknown extension for writing; supported: .npy .csv .tsv .svm .svmlight "
        ".libsvm .mtx .mm .h5 .hdf5");
  wrong({"lda", "iris.npy", "iris.npy", "-o", "s.npy"}, "lda: a lda run takes one file, got 2 files");
  wrong({"lda", "iris.npy", "-o", "s.npy", "--view", "left"},
        "--view: lda is a run of lda, which has only one view");
  wrong({"cca", "d/left.npy", "-o", "s.npy"},
        "cca: a cca run takes its left and right file, or one of them with --view left or right, got 1 "
        "file");
  wrong({"cca", "d/left.npy", "d/right.npy", "--view", "left", "-o", "s.npy"},
        "--view left: takes one file, got 2 files");
  wrong({"cca", "d/left.npy", "--view", "up", "-o", "s.npy"}, "--view: 'up' is not left or right" + see);
  wrong({"cca", "d/left.npy", "d/right.npy", "-o", "s.npy", "--predict"},
        "--predict: cca is a run of cca, expected one of lda");
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(TransformCommand, BadRunsAndDataAreOneSentenceAndThreeAndNothingIsLeft) {
  planted();
  irises();
  fit({"cca", "d/left.npy", "d/right.npy", "-p", "2"}, "cca");
  fit({"lda", "iris.npy", "--labels", "species.txt"}, "lda");
  write("short.npy", gaussian<double>(2999, 9, {1}));
  write("narrow.npy", gaussian<double>(10, 3, {1}));
  Matrix<double> late = gaussian<double>(3000, 4, {1});
  late(2999, 3) = std::nan("");  // found when most has been written
  write("late.npy", late);
  std::filesystem::create_directory(folder_ / "empty");
  const auto before = folder_.names();
  const auto bad = [&](const Words& arguments, const std::string& sentence) {
    for (const std::string out : {"s.npy", "s.csv", "s.h5"}) {
      Words words{"transform"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      words.insert(words.end(), {"-o", out});
      expect_error(landfall(words), 3, sentence);
    }
    EXPECT_EQ(folder_.names(), before);
  };
  bad({"none", "iris.npy"}, "none: no such folder");
  bad({"empty", "iris.npy"}, "empty: no summary.json in it, expected a folder written by --out");
  bad({"iris.npy", "iris.npy"}, "iris.npy: no summary.json in it, expected a folder written by --out");
  bad({"lda", "none.npy"}, "none.npy: no such file");
  bad({"lda", "narrow.npy"}, "narrow.npy: 3 columns, expected the 4 that lda was fitted on");
  bad({"cca", "d/right.npy", "d/left.npy"}, "d/right.npy: 9 columns, expected the 12 that cca was fitted on");
  bad({"cca", "d/left.npy", "short.npy"},
      "d/left.npy has 3000 rows and short.npy has 2999; expected the same number in both");
  bad({"lda", "late.npy"},
      "late.npy: row 3000, column 4 is NaN; every entry must be finite (or --missing drop, or --missing "
      "mean)");
  expect_error(landfall({"transform", "lda", "iris.npy", "-o", "none/s.npy"}), 3,
               "none/s.npy: cannot be written: No such file or directory");
  expect_error(landfall({"transform", "lda", "iris.npy", "-o", "none/s.txt", "--predict"}), 3,
               "none/s.txt: cannot be written: No such file or directory");
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(TransformCommand, DamagedRunsAreNamed) {
  irises();
  fit({"lda", "iris.npy", "--labels", "species.txt"});
  const auto expect_refusal = [&](const std::string& sentence, const Words& more = {}) {
    Words words{"iris.npy", "-o", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    expect_error(transform(words), 3, sentence);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "s.npy"));
  };
  const std::string whole = content(folder_ / "run/summary.json");
  for (const std::string& text :
       {std::string(), std::string("{}"), whole.substr(0, 100), std::string("[1]")}) {
    folder_.file("run/summary.json", text);
    expect_refusal("run/summary.json: not a summary written by landfall");
  }
  Json summary = Json::parse(whole);
  summary["problem"] = "pca";
  folder_.file("run/summary.json", summary.dump());
  expect_refusal("run/summary.json: unknown problem 'pca'");
  summary = Json::parse(whole);
  summary["precision"] = "half";
  folder_.file("run/summary.json", summary.dump());
  expect_refusal("run/summary.json: unknown precision 'half'");
  summary = Json::parse(whole);
  summary["priors"].push_back(0.5);
  folder_.file("run/summary.json", summary.dump());
  expect_refusal("run/summary.json: 4 priors of 3 classes");
  folder_.file("run/summary.json", whole);

  write("run/centres.npy", Matrix<double>::Ones(2, 4));
  expect_refusal("run/centres.npy: 2x4, expected 2x3", {"--predict"});
  write("run/weights.npy", Matrix<double>::Ones(5, 2));
  expect_refusal("run/weights.npy: 5x2, expected 4x2");
  write("run/weights.npy", Matrix<double>::Constant(4, 2, std::nan("")));
  expect_refusal("run/weights.npy: contains a number that is not finite");
  std::filesystem::remove(folder_ / "run/weights.npy");
  expect_refusal("run/weights.npy: no such file");
}

}  // namespace
}  // namespace landfall::test
