// landfall gevp, and data pencil, as a user runs them.
#include <array>
#include <iterator>
#include <set>

#include "cli/pencil_files.hpp"
#include <fcntl.h>
#include <fmt/format.h>

namespace landfall::test {
namespace {

class GevpCommand : public CliTest {};

std::vector<double> largest(const Vector<double>& ascending, Index p) {
  const Vector<double> values = ascending.tail(p).reverse();
  return {values.begin(), values.end()};
}

void expect_near(const std::vector<double>& values, const std::vector<double>& known, double relative) {
  ASSERT_EQ(values.size(), known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_NEAR(values[i], known[i], relative * std::abs(known[0])) << "eigenvalue " << i + 1;
}

TEST_F(GevpCommand, ABThatIsNotPositiveDefiniteIsNamedWhateverTheMethod) {
  Matrix<double> indefinite = b_, singular = Matrix<double>::Identity(20, 20);
  indefinite(3, 3) = -1;
  singular.topLeftCorner(2, 2).setOnes();
  const auto write = [&](const Matrix<double>& m, const std::string& name) {
    write_npy<double>(path(name + ".npy"), m);
    write_matrix_market<double>(path(name + ".mtx"), Eigen::SparseMatrix<double>(m.sparseView()));
  };
  write(indefinite, "indefinite");
  write(singular, "singular");
  for (const std::string method : {"auto", "direct", "lobpcg", "landing"})
    for (const std::string file : {"indefinite.npy", "indefinite.mtx", "singular.npy", "singular.mtx"}) {
      SCOPED_TRACE(method + " " + file);
      const std::string why = file.starts_with("indefinite")
                                  ? "B is not positive definite: its leading 4x4 block is not"
                                  : "B is singular to working precision: its rank is 19 of 20";
      expect_error(gevp("A.npy", file, {"-p", "3", "--method", method}), 3, file + ": " + why);
    }
}

TEST_F(GevpCommand, JsonHasTheKeysOfTheContractAndNothingElseIsPrinted) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--seed", "5", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  const Json json = Json::parse(run.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.out;
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{
                      "problem",    "method",       "reason",      "samples",           "features",
                      "components", "eigenvalues",  "residuals",   "infeasibility",     "converged",
                      "warnings",   "stationarity", "passes",      "iterations",        "batch",
                      "estimator",  "ridge",        "seconds",     "peak_memory_bytes", "seed",
                      "threads",    "precision",    "termination", "command",           "data",
                      "version"}));
  for (const char* part : {"total", "read", "solve", "evaluate"})
    EXPECT_TRUE(json["seconds"][part].is_number());
  EXPECT_EQ(json["seconds"].size(), 4U);
  EXPECT_EQ(json["problem"], "gevp");
  EXPECT_EQ(json["method"], "direct");
  EXPECT_EQ(json["reason"], "n = 20 is at most 2500, so a dense solve is cheap");
  EXPECT_EQ(json["features"], 20);
  EXPECT_EQ(json["components"], 3);
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["threads"], 1);
  EXPECT_EQ(json["precision"], "double");
  EXPECT_EQ(json["termination"], "converged");
  EXPECT_EQ(json["version"], LANDFALL_VERSION);
  EXPECT_GT(json["peak_memory_bytes"], 1 << 20);
  expect_near(json["eigenvalues"], largest(known_, 3), 1e-13);
}

TEST_F(GevpCommand, EveryMethodAndFileTypeFindsTheSame) {
  for (const std::string method : {"direct", "lobpcg", "landing"})
    for (const auto& [a, b] : {std::pair{"A.npy", "B.npy"}, std::pair{"A.mtx", "B.mtx"},
                               std::pair{"As.mtx", "Bs.mtx"}, std::pair{"A.npy", "Bs.mtx"}}) {
      SCOPED_TRACE(method + " " + a + " " + b);
      const Json found = json(a, b, {"-p", "3", "--method", method});
      EXPECT_EQ(found["method"], method);
      EXPECT_EQ(found["termination"], "converged");
      expect_near(found["eigenvalues"], largest(known_, 3), 1e-10);
      const Json low = json(a, b, {"-p", "2", "--smallest", "--method", method});
      expect_near(low["eigenvalues"], {known_(0), known_(1)}, 1e-10);
    }
  for (const std::string direction : {"metric", "riemannian", "euclidean", "preconditioned"}) {
    SCOPED_TRACE(direction);
    expect_near(
        json("A.npy", "B.npy", {"-p", "3", "--method", "landing", "--direction", direction})["eigenvalues"],
        largest(known_, 3), 1e-10);
  }
}

TEST_F(GevpCommand, SinglePrecisionIsKeptAndSaid) {
  for (const std::string a : {"A.npy", "A32.npy"}) {
    const Json found = json(a, "B32.npy", {"-p", "3", "--precision", "single", "--method", "landing"});
    EXPECT_EQ(found["precision"], "single");
    expect_near(found["eigenvalues"], largest(known_, 3), 1e-5);
  }
  EXPECT_EQ(gevp("A.npy", "B.npy", {"-p", "3", "--precision", "single", "--out", "run"}).code, 0);
  EXPECT_NE(content(path("run/eigenvalues.npy")).find("'<f4'"), std::string::npos);
}

TEST_F(GevpCommand, KnownEigenvaluesStandBesideTheFoundOnes) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--known", "known.npy", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  std::istringstream lines(run.out);
  std::string line;
  std::getline(lines, line);
  std::istringstream head(line);
  const Words titles{std::istream_iterator<std::string>(head), {}};
  EXPECT_EQ(titles, (Words{"eigenvalue", "residual", "known", "error"}));
  const std::size_t width = line.size();
  const auto known = largest(known_, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    std::getline(lines, line);
    EXPECT_EQ(line.size(), width) << "not aligned: " << line;
    double number = 0, found = 0, residual = 1, truth = 0, error = 1;
    std::istringstream(line) >> number >> found >> residual >> truth >> error;
    EXPECT_EQ(number, static_cast<double>(i + 1));
    EXPECT_NEAR(found, known[i], 1e-10);
    EXPECT_NEAR(truth, known[i], 1e-10);
    EXPECT_LE(residual, 1e-13);
    EXPECT_LE(error, 1e-13);
  }
  EXPECT_FALSE(std::getline(lines, line));
  expect_near(json("A.npy", "B.npy", {"-p", "2", "--smallest", "--known", "known.npy"})["known"],
              {known_(0), known_(1)}, 0);
}

TEST_F(GevpCommand, OutHoldsWhatWasFound) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--json", "--out", "runs/first/"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(content(path("runs/first/summary.json")), run.out);
  const Vector<double> values = read_npy<double>(path("runs/first/eigenvalues.npy")).col(0);
  const Matrix<double> x = read_npy<double>(path("runs/first/eigenvectors.npy"));
  expect_near(std::vector<double>(values.begin(), values.end()), largest(known_, 3), 1e-13);
  ASSERT_EQ(x.rows(), 20);
  EXPECT_LE((a_ * x - b_ * x * values.asDiagonal()).norm(), 1e-12);
  EXPECT_LE((x.transpose() * b_ * x - Matrix<double>::Identity(3, 3)).norm(), 1e-12);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("runs")))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 5U) << "eigenvalues and vectors, summary, report, and the list of these";
}

TEST_F(GevpCommand, OutIsNewOrNothingIsWritten) {
  const auto before = folder_.names();
  std::filesystem::create_directory(path("old"));
  folder_.file("old/notes.txt", "mine");
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--out", "old"}), 2,
               "old: already exists; choose another folder or use --force");
  EXPECT_EQ(content(path("old/notes.txt")), "mine");
  std::filesystem::remove_all(path("old"));
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--out", "A.npy/run"}), 3,
               "A.npy/run: cannot create the folder: Not a directory");
  EXPECT_EQ(gevp("A.npy", "B.npy", {"-p", "3", "--out", "/proc/run"}).code, 3);
  EXPECT_EQ(gevp("A.npy", "none.npy", {"-p", "3", "--out", "run"}).code, 3);
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(GevpCommand, SeedsReproduceAndMatter) {
  const auto residuals = [&](const std::string& seed) {
    return json("A.npy", "B.npy", {"-p", "3", "--method", "landing", "--seed", seed})["residuals"];
  };
  EXPECT_EQ(residuals("3"), residuals("3"));
  EXPECT_NE(residuals("3"), residuals("4"));
}

TEST_F(GevpCommand, ALimitIsSaidAndIsNotAFailure) {
  for (const std::string method : {"lobpcg", "landing"}) {
    const Outcome run =
        gevp("A.npy", "B.npy", {"-p", "3", "--method", method, "--max-iterations", "2", "--json", "--quiet"});
    EXPECT_EQ(run.code, 0);
    const Json found = Json::parse(run.out, nullptr, false);
    EXPECT_EQ(found["termination"], "iteration_limit");
    EXPECT_EQ(found["iterations"], 2);
    EXPECT_EQ(found["converged"], false);
    EXPECT_LT(found["infeasibility"], 1e-12) << "of the vectors written";
    const std::string warning =
        method +
        " did not converge: it reached the iteration limit after 2 iterations, and the largest residual is ";
    EXPECT_EQ(found["warnings"][0].get<std::string>().find(warning), 0U) << found["warnings"];
    EXPECT_EQ(run.err.find("landfall: warning: " + warning), 0U) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  }
}

TEST_F(GevpCommand, ScalesOfTheMatricesEndInTheEigenvaluesOrInASentence) {
  write_npy<double>(path("large.npy"), Matrix<double>(1e200 * a_));
  write_npy<double>(path("tiny.npy"), Matrix<double>(1e-200 * b_));
  write_npy<double>(path("small.npy"), Matrix<double>(1e-200 * a_));
  write_npy<double>(path("huge.npy"), Matrix<double>(1e200 * b_));
  for (const std::string method : {"direct", "lobpcg", "landing"}) {
    SCOPED_TRACE(method);
    const Json found = json("large.npy", "huge.npy", {"-p", "3", "--method", method});
    EXPECT_EQ(found["converged"], true);
    expect_near(found["eigenvalues"], largest(known_, 3), 1e-10);
    const Outcome over = gevp("large.npy", "tiny.npy", {"-p", "3", "--method", method});
    EXPECT_EQ(over.code, 4);
    EXPECT_EQ(over.err.find("landfall: large.npy, tiny.npy: eigenvalue 1 is about 1e+40"), 0U) << over.err;
    EXPECT_NE(over.err.find(", too large for double precision; scale A or B\n"), std::string::npos)
        << over.err;
    const Outcome under = gevp("small.npy", "huge.npy", {"-p", "3", "--method", method, "--out", "run"});
    EXPECT_EQ(under.code, 4);
    EXPECT_NE(under.err.find(", too small for double precision; scale A or B\n"), std::string::npos)
        << under.err;
    EXPECT_FALSE(std::filesystem::exists(path("run")));
  }
}

TEST_F(GevpCommand, ProgressStaysOffPipesAndTheLastLineSaysHowItWent) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--method", "landing"});
  EXPECT_EQ(run.err.find("landing (requested; riemannian direction): "), 0U) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  EXPECT_EQ(run.err.find('\r'), std::string::npos);
}

TEST_F(GevpCommand, PencilsAreMadeAndSolved) {
  for (const std::string kind : {"paper", "released", "planted"}) {
    SCOPED_TRACE(kind);
    const Outcome run = landfall({"data", "pencil", kind, "-n", "12", "--condition", "50", "--kind", kind});
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, "");
    const bool planted = kind == "planted";
    EXPECT_EQ(run.err, fmt::format("wrote {0}/A.npy and {0}/B.npy{1}, 12x12\n", kind,
                                   planted ? ", and eigenvalues.npy" : ""));
    EXPECT_EQ(std::filesystem::exists(path(kind + "/eigenvalues.npy")), planted);
    EXPECT_EQ(json(kind + "/A.npy", kind + "/B.npy")["features"], 12);
  }
  const Json found = json("planted/A.npy", "planted/B.npy");
  expect_near(found["eigenvalues"], largest(Vector<double>::LinSpaced(12, 1. / 50, 1), 3), 1e-12);
  EXPECT_EQ(landfall({"data", "pencil", "seeded", "-n", "12", "--seed", "9"}).code, 0);
  EXPECT_NE(content(path("seeded/B.npy")), content(path("paper/B.npy")));
}

TEST_F(GevpCommand, PencilsThatMakeNoSenseAreRefused) {
  const auto before = folder_.names();
  const std::string see = " (see landfall data pencil --help)";
  const auto wrong = [&](const Words& more, int code, const std::string& sentence) {
    Words arguments{"data", "pencil"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(sentence);
    expect_error(landfall(arguments), code, sentence);
  };
  expect_error(landfall({"data"}), 2,
               "landfall data needs a command: info, pencil, planted-cca, laplace-ica, split-mnist or "
               "split-fashion (see landfall data --help)");
  wrong({}, 2, "OUT is required" + see);
  wrong({"x", "-n", "0"}, 2, "--size: '0' is not a whole number of at least 1" + see);
  wrong({"x", "-n", "many"}, 2, "--size: 'many' is not a whole number of at least 1" + see);
  wrong({"x", "--condition", "0.5"}, 2, "--condition: '0.5' is not a number of at least 1" + see);
  wrong({"x", "--condition", "inf"}, 2, "--condition: 'inf' is not a number of at least 1" + see);
  wrong({"x", "--kind", "odd"}, 2, "--kind: 'odd' is not paper, released or planted" + see);
  wrong({"A.npy/x", "-n", "4"}, 3, "A.npy/x: cannot create the folder: Not a directory");
  EXPECT_EQ(folder_.names(), before);
}

}  // namespace
}  // namespace landfall::test
