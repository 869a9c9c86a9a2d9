// The program as a whole: help, version, wrong use, bad data, a full disk.
#include <landfall/parallel/kernels.hpp>

#include "cli/pencil_files.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

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
                              "cv",
                              "cv cca",
                              "cv lda",
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
  EXPECT_NE(all.out.find("Advanced options of landing:\n  --tolerance X"), std::string::npos);
  EXPECT_NE(all.out.find("--passes T"), std::string::npos);
}

TEST_F(CliTest, VersionIsTheProjects) {
  const Outcome run = landfall({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out.substr(0, run.out.find('\n')), "landfall " LANDFALL_VERSION);
}

TEST_F(CliTest, KernelsOfTheProcessorUnlessTheUserChose) {
  const auto kernels = [&](const Words& variables) {
    Words words{"-u", "OPENBLAS_CORETYPE"};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {program_path(), "--version"});
    const std::string out = run_words(folder_.path(), words).out;
    const std::size_t first = out.find(" with ") + 6;
    return out.substr(first, out.find(" kernels", first) - first);
  };
  EXPECT_EQ(wider_kernels(kernels({}), instruction_set()), "");
  EXPECT_EQ(kernels({"OPENBLAS_CORETYPE=Prescott"}), "Prescott");
}

TEST_F(CliTest, WrongUseIsOneSentenceAndTwo) {
  const auto wrong = [&](const Words& arguments, const std::string& sentence) {
    SCOPED_TRACE(sentence);
    expect_error(landfall(arguments), 2, sentence);
  };
  const std::string commands =
      "cca, ica, lda, gevp, transform, report, plan, compare, cv, reproduce, data, methods, help, completion "
      "or "
      "man";
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
  wrong_gevp({"--cook"}, "unknown option '--cook'" + see);
  wrong_gevp({"C.npy"}, "unexpected argument 'C.npy'" + see);
  wrong_gevp({"--toleranc=1"}, "unknown option '--toleranc'; did you mean --tolerance?" + see);
  expect_error(landfall({"gevp", "A.npy", "B.npy", "-p", "21"}), 4,
               "A.npy, B.npy: 21 components requested for 20x20 matrices, expected 1 to 20");
  wrong_gevp({"--max"}, "unknown option '--max'; did you mean --max-iterations?" + see);
  wrong_gevp({"--method", "qr"},
             "--method: 'qr' is not a method for this problem; see landfall methods" + see);
  wrong_gevp(
      {"--method", "lobcpg"},
      "--method: 'lobcpg' is not a method for this problem; see landfall methods; did you mean lobpcg?" +
          see);
  wrong_gevp({"--direction", "up"},
             "--direction: 'up' is not auto, metric, riemannian, euclidean or preconditioned" + see);
  wrong_gevp({"--method", "direct", "--direction", "metric"},
             "--direction: is an option of landing, but --method is direct" + see);
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

TEST_F(CliTest, AFullDiskIsNoticed) {
  const std::string command =
      fmt::format("'{}' gevp '{}' '{}' -p 2 --quiet >/dev/full 2>'{}'", program_path(),
                  path("A.npy").string(), path("B.npy").string(), path("err").string());
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(content(path("err")), "landfall: standard output cannot be written\n");
}

}  // namespace
}  // namespace landfall::test
