// landfall cca as a user runs it, and HDF5 files that are damaged.
#include <landfall/data/formats/npy.hpp>
#include <landfall/linalg/random.hpp>

#include "summary.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

class CcaCommand : public ::testing::Test {
 protected:
  CcaCommand() {
    EXPECT_EQ(landfall({"data", "planted-cca", "d", "-N", "4000", "--left", "30", "--right", "20",
                        "--correlations", "0.9,0.7,0.5"})
                  .code,
              0);
  }
  Outcome landfall(const Words& arguments) { return run_program(folder_.path(), arguments); }

  TemporaryFolder folder_;
};

TEST_F(CcaCommand, HelpFitsAPage) {
  expect_help(landfall({"cca", "--help"}));
}

TEST_F(CcaCommand, ExactAndLandingAgree) {
  for (const std::string method : {"auto", "exact", "landing"}) {
    const auto run = landfall({"cca", "d/left.npy", "d/right.npy", "-p", "3", "--method", method, "--json",
                               "--held-out", "0.2", "--out", "run_" + method});
    const Json summary = summary_of(run);
    expect_contract(summary, "cca");
    EXPECT_EQ(summary["correlations"].size(), 3U);
    EXPECT_EQ(summary["method"], method == "auto" ? "exact" : method);
    // a sample correlation has the standard error (1 - rho^2)/sqrt(N), and training fits 50 weights
    EXPECT_NEAR(summary["total_correlation"], 2.1, 0.1);
    EXPECT_NEAR(summary["held_out_total_correlation"], 2.1, 0.2);
    EXPECT_EQ(Json::parse(content(folder_ / ("run_" + method + "/summary.json"))), summary);
    EXPECT_EQ(read_npy<float>(folder_ / ("run_" + method + "/weights_left.npy")).rows(), 30);
    EXPECT_EQ(std::filesystem::exists(folder_ / ("run_" + method + "/history.csv")), method == "landing");
  }
  expect_error(landfall({"cca", "d/left.npy", "d/right.npy", "-p", "3", "--out", "run_exact"}), 2,
               "run_exact: already exists; choose another folder or use --force");
}

TEST_F(CcaCommand, RivalsAreMethodsByName) {
  for (const std::string method : {"als", "appgrad-stochastic"}) {
    const Json summary = summary_of(landfall(
        {"cca", "d/left.npy", "d/right.npy", "-p", "3", "--method", method, "--passes", "10", "--json"}));
    expect_contract(summary, "cca");
    EXPECT_EQ(summary["method"], method);
    EXPECT_NEAR(summary["total_correlation"], 2.1, 0.2);
  }
  const Words both{"d/left.npy", "d/right.npy", "-p", "3", "--method"};
  const auto refused = [&](Words words, const std::string& method, const std::string& sentence) {
    words.insert(words.end(), both.begin(), both.end());
    words.push_back(method);
    expect_error(landfall(words), 2, sentence);
  };
  refused(
      {"cca"}, "magic",
      "--method: 'magic' is not a method for this problem; see landfall methods (see landfall cca --help)");
  refused({"cca"}, "gen-oja", "gen-oja finds one component, got p = 3; gen-oja-block finds more");
  refused({"plan", "cca"}, "als", "plan supports exact and landing, not als");

  const auto methods = landfall({"methods"});
  EXPECT_EQ(methods.code, 0);
  EXPECT_EQ(methods.out.find("method "), 0U);
  for (const std::string name : {"ey-adam ", "als ", "plam ", "picard-o "})
    EXPECT_NE(methods.out.find("\n" + name), std::string::npos) << name;
}

TEST_F(CcaCommand, RowsThatNobodyHasCountedAreCounted) {
  ASSERT_EQ(landfall({"data", "planted-cca", "c", "-N", "2000", "--left", "10", "--right", "8",
                      "--correlations", "0.9,0.7", "--format", "csv"})
                .code,
            0);
  const auto run = landfall({"cca", "c/left.csv", "c/right.csv", "-p", "2", "--method", "landing",
                             "--no-center", "--ridge", "0.001", "--held-out", "0.1", "--json", "--quiet"});
  EXPECT_NEAR(summary_of(run)["total_correlation"], 1.6, 0.1);
}

TEST_F(CcaCommand, TheTableAligns) {
  const auto run = landfall({"cca", "d/left.npy", "d/right.npy", "-p", "2"});
  EXPECT_EQ(run.code, 0);
  std::vector<std::size_t> lengths;
  for (std::size_t at = 0, end = 0; (end = run.out.find('\n', at)) != std::string::npos; at = end + 1)
    lengths.push_back(end - at);
  EXPECT_EQ(lengths, (std::vector<std::size_t>{47, 47, 47, 47}));
  EXPECT_EQ(run.err.find("exact ("), 0U) << run.err;
  EXPECT_NE(run.err.find("): 4000 rows, no ridge, "), std::string::npos) << run.err;
}

TEST_F(CcaCommand, WrongUseAndBadDataAreSentences) {
  write_npy<float>(folder_ / "short.npy", gaussian<float>(3999, 5, {1}));
  expect_error(landfall({"cca", "d/left.npy", "short.npy", "-p", "1"}), 3,
               "d/left.npy has 4000 rows and short.npy has 3999; expected the same number in both");
  expect_error(landfall({"cca", "d/left.npy", "d/right.npy", "-p", "1", "--memory", "10"}), 2,
               "--memory: '10' is not a memory size such as 512MiB or 2GiB (see landfall cca --help)");
  expect_error(landfall({"cca", "d/left.npy", "d/right.npy", "-p", "21"}), 4,
               "d/right.npy: 20 non-constant columns, expected at least p = 21");
  expect_error(landfall({"cca", "d/left.npy", "none.npy", "-p", "1"}), 3, "none.npy: no such file");
}

TEST(Hdf5File, DamagedOnesAreReadOrRefusedInOneSentence) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(folder.path(), {"data", "laplace-ica", "d", "-N", "50", "--format", "h5"}).code, 0);
  const std::string whole = content(folder / "d/data.h5");
  const auto check = [&](const std::string& bytes, bool must_fail) {
    folder.file("bad.h5", bytes);
    const auto run = run_program(folder.path(), {"data", "info", "bad.h5"});
    EXPECT_TRUE(run.code == 3 || (run.code == 0 && !must_fail)) << run.code << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), run.code == 0 ? 0 : 1) << run.err;
  };
  check(whole.substr(0, whole.size() / 2), true);
  check(whole.substr(0, 100), true);
  for (std::size_t at = 8; at < std::min<std::size_t>(whole.size(), 2400); at += 40) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    check(bytes, false);
  }
  folder.file("good.h5", whole);
  expect_error(run_program(folder.path(), {"data", "info", "good.h5:/none"}), 3,
               "good.h5:/none: no such dataset, expected one of /data");
}

}  // namespace
}  // namespace landfall::test
