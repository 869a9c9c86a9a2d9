// The program as a user runs it: arguments in; standard output, standard error, exit code and files out.
#include <landfall/data/matrix_market.hpp>
#include <landfall/data/npy.hpp>

#include <array>
#include <iterator>
#include <set>

#include "cli/program.hpp"
#include "support.hpp"
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace landfall::test {
namespace {

using Json = nlohmann::json;

/// A folder with a pencil of size 20 in every kind of file: .npy in double and single, .mtx dense and sparse.
class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    write_npy<double>(path("A.npy"), a_);
    write_npy<double>(path("B.npy"), b_);
    write_npy<float>(path("A32.npy"), a_.cast<float>());
    write_npy<float>(path("B32.npy"), b_.cast<float>());
    write_matrix_market<double>(path("A.mtx"), In<double>(a_));
    write_matrix_market<double>(path("B.mtx"), In<double>(b_));
    write_matrix_market<double>(path("As.mtx"), Eigen::SparseMatrix<double>(a_.sparseView()));
    write_matrix_market<double>(path("Bs.mtx"), Eigen::SparseMatrix<double>(b_.sparseView()));
    write_npy_vector<double>(path("known.npy"), known_);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }

  /// landfall gevp with one thread: the machine may be busy with other tests.
  Outcome gevp(const std::string& a, const std::string& b, Words more = {"-p", "3"}) const {
    Words words{"gevp", a, b, "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }

  Json json(const std::string& a, const std::string& b, Words more = {"-p", "3"}) const {
    more.push_back("--json");
    const Outcome run = gevp(a, b, more);
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }

  TemporaryFolder folder_;
  Matrix<double> a_ = with_spectrum<double>(Vector<double>::LinSpaced(20, -1, 2), 1);
  Matrix<double> b_ = random_spd<double>(20, 10, 2);
  Vector<double> known_ = pencil_eigenvalues(a_, b_);
};

std::vector<double> largest(const Vector<double>& ascending, Index p) {
  const Vector<double> values = ascending.tail(p).reverse();
  return {values.begin(), values.end()};
}

void expect_near(const std::vector<double>& values, const std::vector<double>& known, double relative) {
  ASSERT_EQ(values.size(), known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_NEAR(values[i], known[i], relative * std::abs(known[0])) << "eigenvalue " << i + 1;
}

TEST_F(CliTest, HelpFitsAPageAndHasExamples) {
  for (const char* command : {"",
                              "cca",
                              "ica",
                              "lda",
                              "gevp",
                              "transform",
                              "report",
                              "plan",
                              "plan cca",
                              "compare",
                              "compare cca",
                              "compare ica",
                              "compare gevp",
                              "data",
                              "data info",
                              "data pencil",
                              "data planted-cca",
                              "data laplace-ica",
                              "data split-mnist",
                              "data split-fashion",
                              "completion",
                              "man"}) {
    SCOPED_TRACE(command);
    std::istringstream text(command);
    Words arguments{std::istream_iterator<std::string>(text), {}};
    arguments.emplace_back("--help");
    expect_help(landfall(arguments));
  }
  const std::string page = landfall({"--help"}).out;
  EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 30);
}

TEST_F(CliTest, LandingByHandIsOnAPageOfItsOwn) {
  EXPECT_EQ(landfall({"cca", "--help"}).out.find("--momentum"), std::string::npos);
  const Outcome all = landfall({"cca", "--help-all"});
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.out.find("Landing by hand:\n  --step ETA"), std::string::npos);
  EXPECT_NE(all.out.find("--passes T"), std::string::npos);
}

TEST_F(CliTest, VersionIsTheProjects) {
  const Outcome run = landfall({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "landfall " LANDFALL_VERSION "\n");
}

TEST_F(CliTest, WrongUseIsOneSentenceAndTwo) {
  const auto wrong = [&](const Words& arguments, const std::string& sentence) {
    SCOPED_TRACE(sentence);
    expect_error(landfall(arguments), 2, sentence);
  };
  const std::string commands =
      "cca, ica, lda, gevp, transform, report, plan, compare, reproduce, data, methods, completion or man";
  wrong({}, "landfall needs a command: " + commands + " (see landfall --help)");
  wrong({"cook"}, "unknown command 'cook'; expected " + commands + " (see landfall --help)");
  wrong({"gvep"}, "unknown command 'gvep'; did you mean gevp? (see landfall --help)");
  wrong({"data", "pencli"}, "unknown command 'pencli'; did you mean pencil? (see landfall data --help)");
  wrong({"--cook"}, "unknown option '--cook' (see landfall --help)");
  wrong({"gevp"}, "A is required (see landfall gevp --help)");
  wrong({"gevp", "A.npy"}, "B is required (see landfall gevp --help)");
  wrong({"gevp", "A.npy", "B.npy"}, "--components is required (see landfall gevp --help)");
  const auto wrong_gevp = [&](const Words& more, const std::string& sentence) {
    SCOPED_TRACE(sentence);
    Words arguments{"gevp", "A.npy", "B.npy", "-p", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (more[0] == "-p") arguments.erase(arguments.begin() + 3, arguments.begin() + 5);
    expect_error(landfall(arguments), 2, sentence);
  };
  const std::string see = " (see landfall gevp --help)";
  wrong_gevp({"-p", "three"}, "--components: 'three' is not a whole number of at least 1" + see);
  wrong_gevp({"-p", "2.5"}, "--components: '2.5' is not a whole number of at least 1" + see);
  wrong_gevp({"-p", "0"}, "--components: '0' is not a whole number of at least 1" + see);
  wrong_gevp({"-p", "-4"}, "--components: '-4' is not a whole number of at least 1" + see);
  wrong_gevp({"-p", "21"}, "21 components asked of 20x20 matrices; expected 1 to 20");
  wrong_gevp({"--cook"}, "unknown option '--cook'" + see);
  wrong_gevp({"C.npy"}, "unexpected argument 'C.npy'" + see);
  wrong_gevp({"--toleranc=1"}, "unknown option '--toleranc'; did you mean --tolerance?" + see);
  wrong_gevp({"--max"}, "unknown option '--max'; did you mean --max-iterations?" + see);
  wrong_gevp({"--method", "qr"},
             "--method: 'qr' is not a method of this problem, see landfall methods" + see);
  wrong_gevp(
      {"--method", "lobcpg"},
      "--method: 'lobcpg' is not a method of this problem, see landfall methods; did you mean lobpcg?" + see);
  wrong_gevp({"--direction", "up"},
             "--direction: 'up' is not auto, metric, riemannian, euclidean or preconditioned" + see);
  wrong_gevp({"--method", "direct", "--direction", "metric"},
             "--direction: is of landing, but --method is direct" + see);
  wrong_gevp({"--quiet", "--verbose"}, "--quiet excludes --verbose" + see);
  wrong_gevp({"--precision", "half"}, "--precision: 'half' is not single or double" + see);
  wrong_gevp({"--tolerance", "-1"}, "--tolerance: '-1' is not a positive number" + see);
  wrong_gevp({"--tolerance", "nan"}, "--tolerance: 'nan' is not a positive number" + see);
  wrong_gevp({"--max-iterations", "0"}, "--max-iterations: '0' is not a whole number of at least 1" + see);
  wrong_gevp({"--threads", "0"}, "--threads: '0' is not a whole number of at least 1" + see);
  wrong_gevp({"--seed", "-1"}, "--seed: '-1' is not a whole number of at least 0" + see);
}

TEST_F(CliTest, BadDataIsOneSentenceThatNamesTheFileAndThree) {
  const auto bad = [&](const std::string& file, const std::string& sentence) {
    SCOPED_TRACE(file);
    expect_error(gevp(file, "B.npy"), 3, file + ": " + sentence);
  };
  bad("none.npy", "no such file");
  bad(".", "a folder, expected a file");
  folder_.file("empty.npy", "");
  bad("empty.npy", "the file is empty");
  folder_.file("text.npy", "1 2\n2 3\n");
  bad("text.npy", "unknown file type; expected .npy or Matrix Market (.mtx)");
  const std::string whole = content(path("A.npy"));
  folder_.file("short.npy", whole.substr(0, whole.size() - 8));
  const Outcome cut = gevp("short.npy", "B.npy");
  EXPECT_EQ(cut.code, 3);
  EXPECT_EQ(cut.err.find("landfall: short.npy: "), 0U) << cut.err;
  EXPECT_EQ(std::count(cut.err.begin(), cut.err.end(), '\n'), 1);

  write_npy<double>(path("wide.npy"), Matrix<double>::Ones(3, 4));
  bad("wide.npy", "3x4, expected a square matrix");
  Matrix<double> m = Matrix<double>::Identity(20, 20);
  m(4, 2) = 0.5;
  write_npy<double>(path("lopsided.npy"), m);
  bad("lopsided.npy", "row 5, column 3 is 0.5 but row 3, column 5 is 0; expected a symmetric matrix");
  m(4, 2) = m(2, 4) = std::nan("");
  write_npy<double>(path("nan.npy"), m);
  bad("nan.npy", "row 5, column 3 is NaN; every entry must be finite");
  m(4, 2) = m(2, 4) = -HUGE_VAL;
  write_npy<double>(path("inf.npy"), m);
  bad("inf.npy", "row 5, column 3 is -Inf; every entry must be finite");
  folder_.file("complex.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n");
  const Outcome complex = gevp("complex.mtx", "B.npy");
  EXPECT_EQ(complex.code, 3);
  EXPECT_EQ(complex.err.find("landfall: complex.mtx: "), 0U) << complex.err;
  EXPECT_NE(complex.err.find("complex"), std::string::npos);

  write_npy<double>(path("small.npy"), Matrix<double>::Identity(7, 7));
  expect_error(gevp("A.npy", "small.npy"), 3, "A.npy is 20x20 but small.npy is 7x7; expected the same size");
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--known", "A.npy"}), 3,
               "A.npy: 20x20, expected one row or column of eigenvalues");
  write_npy_vector<double>(path("two.npy"), Vector<double>::Ones(2));
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--known", "two.npy"}), 3,
               "two.npy: 2 values, expected at least 3");
}

TEST_F(CliTest, ABThatIsNotPositiveDefiniteIsNamedWhateverTheMethod) {
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
      const int leading = file.starts_with("indefinite") ? 4 : 2;
      expect_error(gevp("A.npy", file, {"-p", "3", "--method", method}), 3,
                   fmt::format("{}: B is not positive definite: its leading {}x{} block is not", file,
                               leading, leading));
    }
}

TEST_F(CliTest, JsonHasTheKeysOfTheContractAndNothingElseIsPrinted) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--seed", "5", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  const Json json = Json::parse(run.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.out;
  std::set<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"problem",
                                         "method",
                                         "reason",
                                         "samples",
                                         "features",
                                         "components",
                                         "eigenvalues",
                                         "residuals",
                                         "infeasibility",
                                         "stationarity",
                                         "passes",
                                         "iterations",
                                         "batch",
                                         "estimator",
                                         "ridge",
                                         "seconds",
                                         "peak_memory_bytes",
                                         "seed",
                                         "threads",
                                         "precision",
                                         "termination",
                                         "command",
                                         "data",
                                         "version"}));
  for (const char* part : {"total", "read", "solve", "evaluate"})
    EXPECT_TRUE(json["seconds"][part].is_number());
  EXPECT_EQ(json["seconds"].size(), 4U);
  EXPECT_EQ(json["problem"], "gevp");
  EXPECT_EQ(json["method"], "direct");
  EXPECT_EQ(json["reason"], "n = 20 is at most 2500: n^3 is cheap");
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

TEST_F(CliTest, EveryMethodAndFileTypeFindsTheSame) {
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

TEST_F(CliTest, SinglePrecisionIsKeptAndSaid) {
  for (const std::string a : {"A.npy", "A32.npy"}) {
    const Json found = json(a, "B32.npy", {"-p", "3", "--precision", "single", "--method", "landing"});
    EXPECT_EQ(found["precision"], "single");
    expect_near(found["eigenvalues"], largest(known_, 3), 1e-5);
  }
  EXPECT_EQ(gevp("A.npy", "B.npy", {"-p", "3", "--precision", "single", "--out", "run"}).code, 0);
  EXPECT_NE(content(path("run/eigenvalues.npy")).find("'<f4'"), std::string::npos);
}

TEST_F(CliTest, KnownEigenvaluesStandBesideTheFoundOnes) {
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

TEST_F(CliTest, OutHoldsWhatWasFound) {
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
  EXPECT_EQ(files, 4U);
}

TEST_F(CliTest, OutIsNewOrNothingIsWritten) {
  const auto before = folder_.names();
  std::filesystem::create_directory(path("old"));
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--out", "old"}), 2,
               "old: exists already; give a run folder that does not, or --force");
  EXPECT_TRUE(std::filesystem::is_empty(path("old")));
  std::filesystem::remove(path("old"));
  expect_error(gevp("A.npy", "B.npy", {"-p", "3", "--out", "A.npy/run"}), 3,
               "A.npy/run: cannot make the folder: Not a directory");
  EXPECT_EQ(gevp("A.npy", "B.npy", {"-p", "3", "--out", "/proc/run"}).code, 3);
  EXPECT_EQ(gevp("A.npy", "none.npy", {"-p", "3", "--out", "run"}).code, 3);
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(CliTest, SeedsReproduceAndMatter) {
  const auto residuals = [&](const std::string& seed) {
    return json("A.npy", "B.npy", {"-p", "3", "--method", "landing", "--seed", seed})["residuals"];
  };
  EXPECT_EQ(residuals("3"), residuals("3"));
  EXPECT_NE(residuals("3"), residuals("4"));
}

TEST_F(CliTest, ALimitIsSaidAndIsNotAFailure) {
  for (const std::string method : {"lobpcg", "landing"}) {
    const Outcome run =
        gevp("A.npy", "B.npy", {"-p", "3", "--method", method, "--max-iterations", "2", "--json", "--quiet"});
    EXPECT_EQ(run.code, 0);
    const Json found = Json::parse(run.out, nullptr, false);
    EXPECT_EQ(found["termination"], "iteration_limit");
    EXPECT_EQ(found["iterations"], 2);
    EXPECT_EQ(run.err.find("landfall: not converged: " + method + " reached its limit after 2 iterations, "),
              0U)
        << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  }
}

TEST_F(CliTest, ProgressStaysOffPipesAndTheLastLineSaysHowItWent) {
  const Outcome run = gevp("A.npy", "B.npy", {"-p", "3", "--method", "landing"});
  EXPECT_EQ(run.err.find("landing (asked for; riemannian direction): "), 0U) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  EXPECT_EQ(run.err.find('\r'), std::string::npos);
}

TEST_F(CliTest, PencilsAreMadeAndSolved) {
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

TEST_F(CliTest, PencilsThatMakeNoSenseAreRefused) {
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
  wrong({"A.npy/x", "-n", "4"}, 3, "A.npy/x: cannot make the folder: Not a directory");
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(CliTest, AFullDiskIsNoticed) {
  const std::string command =
      fmt::format("'{}' gevp '{}' '{}' -p 2 --quiet >/dev/full 2>'{}'", LANDFALL_PROGRAM,
                  path("A.npy").string(), path("B.npy").string(), path("err").string());
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(content(path("err")), "landfall: standard output cannot be written\n");
}

TEST_F(CliTest, DataInfoSaysWhatIsInAFile) {
  Matrix<double> m = Matrix<double>::Zero(5, 4);
  m(0, 0) = -2.5;
  m(1, 3) = 1e6;
  m(2, 2) = std::nan("");
  m(4, 1) = -HUGE_VAL;
  write_npy<double>(path("m.npy"), m);
  const Outcome run = landfall({"data", "info", "m.npy"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "file            m.npy\n"
            "format          npy\n"
            "rows            5\n"
            "columns         4\n"
            "element type    f8\n"
            "nonzeros        20 %\n"
            "smallest value  -2.5\n"
            "largest value   1000000\n"
            "missing values  2 (1 NaN, 1 infinite)\n");
}

TEST_F(CliTest, DataInfoAsJsonTakesSeveralFilesAndFolders) {
  std::filesystem::create_directory(path("parts"));
  write_npy<float>(path("parts/1.npy"), Matrix<float>::Constant(3, 2, 1));
  write_npy<float>(path("parts/2.npy"), Matrix<float>::Constant(4, 2, 0));
  write_npy<float>(path("nan.npy"), Matrix<float>::Constant(2, 2, std::nanf("")));
  // MNIST's kind of file: two images of 1 x 3 bytes.
  folder_.file("images", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03", 16) +
                             std::string("\0\x05\xff\0\0\0", 6));
  const Outcome run = landfall({"data", "info", "images", "parts", "nan.npy", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const Json expected = {{{"file", "images"},
                          {"format", "idx"},
                          {"rows", 2},
                          {"columns", 3},
                          {"element_type", "u1"},
                          {"density", 2.0 / 6},
                          {"smallest", 0.0},
                          {"largest", 255.0},
                          {"nan", 0},
                          {"infinite", 0}},
                         {{"file", "parts"},
                          {"format", "npy"},
                          {"rows", 7},
                          {"columns", 2},
                          {"element_type", "f4"},
                          {"density", 3.0 / 7},
                          {"smallest", 0.0},
                          {"largest", 1.0},
                          {"nan", 0},
                          {"infinite", 0}},
                         {{"file", "nan.npy"},
                          {"format", "npy"},
                          {"rows", 2},
                          {"columns", 2},
                          {"element_type", "f4"},
                          {"density", 1.0},
                          {"smallest", nullptr},
                          {"largest", nullptr},
                          {"nan", 4},
                          {"infinite", 0}}};
  EXPECT_EQ(Json::parse(run.out, nullptr, false), expected);
}

TEST_F(CliTest, DataInfoOfBadFilesIsOneSentenceAndThree) {
  expect_error(landfall({"data", "info"}), 2, "FILE is required (see landfall data info --help)");
  expect_error(landfall({"data", "info", "A.npy", "none.npy"}), 3, "none.npy: no such file");
  folder_.file("short.npy", content(path("A.npy")).substr(0, 3000));
  expect_error(landfall({"data", "info", "short.npy"}), 3,
               "short.npy: truncated: expected 3328 bytes, found 3000");
  std::filesystem::create_directory(path("parts"));
  write_npy<double>(path("parts/1.npy"), a_);
  write_npy<double>(path("parts/2.npy"), a_.leftCols(3));
  expect_error(landfall({"data", "info", "parts"}), 3, "parts/2.npy: 3 columns, but parts/1.npy has 20");
}

}  // namespace
}  // namespace landfall::test
