// landfall plan as a user runs it: every problem, both forms of output, and nothing run or written.
#include <landfall/data/formats/npy.hpp>
#include <landfall/linalg/random.hpp>

#include "summary.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

class PlanCommand : public ::testing::Test {
 protected:
  PlanCommand() {
    const RowMatrix<float> left = gaussian<float>(300, 12, {1}), right = gaussian<float>(300, 9, {2});
    write_npy<float>(folder_ / "left.npy", left);
    write_npy<float>(folder_ / "right.npy", right);
    write_npy<double>(folder_ / "A.npy", Matrix<double>(Vector<double>::LinSpaced(20, 1, 20).asDiagonal()));
    write_npy<double>(folder_ / "B.npy", Matrix<double>::Identity(20, 20));
    std::string labels;
    for (int i = 0; i < 300; ++i) labels += i % 3 == 0 ? "a\n" : i % 3 == 1 ? "b\n" : "c\n";
    folder_.file("labels.txt", labels);
  }
  Outcome plan(const Words& more) const {
    Words words{"plan"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder_.path(), words);
  }
  TemporaryFolder folder_;
};

TEST_F(PlanCommand, EveryProblemHasOne) {
  const std::vector<std::pair<Words, Words>> problems{
      {{"cca", "left.npy", "right.npy", "-p", "2"}, {"exact", "landing"}},
      {{"lda", "left.npy", "--labels", "labels.txt"}, {"exact", "landing"}},
      {{"ica", "left.npy"}, {"landing"}},
      {{"gevp", "A.npy", "B.npy", "-p", "3"}, {"direct", "lobpcg"}}};
  for (auto [words, methods] : problems) {
    words.emplace_back("--json");
    const Json told = summary_of(plan(words));
    EXPECT_EQ(told["problem"], words[0]);
    EXPECT_EQ(told["method"], methods[0]);
    EXPECT_NE(told["reason"], "");
    ASSERT_EQ(told["alternatives"].size(), methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) {
      EXPECT_EQ(told["alternatives"][i]["method"], methods[i]);
      EXPECT_GT(told["alternatives"][i]["memory_bytes"], 1 << 20);
      EXPECT_GT(told["alternatives"][i]["seconds"], 0);
    }
  }
}

TEST_F(PlanCommand, TheChosenMethodIsMarkedAndExplained) {
  const auto run = plan({"cca", "left.npy", "right.npy", "-p", "2", "--memory", "10kB"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("<- chosen\nlanding: exact covariances need "), std::string::npos) << run.out;
  const auto exact = plan({"cca", "left.npy", "right.npy", "-p", "2", "--method", "exact"});
  EXPECT_NE(exact.out.find("exact: requested\n"), std::string::npos) << exact.out;
}

TEST_F(PlanCommand, SaysWhatIsWrong) {
  expect_error(plan({}), 2,
               "landfall plan needs a command: cca, ica, lda or gevp (see landfall plan --help)");
  write_npy<float>(folder_ / "short.npy", gaussian<float>(10, 3, {3}));
  expect_error(plan({"cca", "left.npy", "short.npy", "-p", "2"}), 3,
               "left.npy has 300 rows and short.npy has 10; expected the same number in both");
  expect_help(plan({"--help"}));
}

}  // namespace
}  // namespace landfall::test
