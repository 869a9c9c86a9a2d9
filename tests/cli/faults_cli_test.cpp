// What goes wrong around a run: files that change, full disks, closed streams, limits, signals, a second run.
#include <landfall/run/run_folder.hpp>

#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

class Faults : public ::testing::Test {
 protected:
  Faults() { make("d", "npy"); }

  void make(const std::string& name, const std::string& format) {
    EXPECT_EQ(landfall({"data", "planted-cca", name, "-N", "3000", "--left", "20", "--right", "15",
                        "--correlations", "0.9,0.7,0.5", "--format", format})
                  .code,
              0);
  }
  void make_packed(const std::string& name) {
    make(name, "csv");
    for (const char* view : {"left", "right"})
      EXPECT_EQ(run_words(folder_.path(), {"gzip", "-f", fmt::format("{}/{}.csv", name, view)}).code, 0);
  }
  Outcome landfall(const Words& arguments) { return run_program(folder_.path(), arguments); }
  /// A script in which "$@" is the command; it dies where it hangs.
  Outcome script(const std::string& text, const Words& arguments) {
    Words words{"sh", "-c", text, "sh", "timeout", "--foreground", "-s", "KILL", "60", program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_words(folder_.path(), words);
  }
  static Words cca(const std::string& out, const Words& more = {}) {
    Words words{"cca",     "d/left.npy", "d/right.npy", "-p",    "2", "--method",
                "landing", "--passes",   "6",           "--out", out, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Words names(const std::string& run) const {
    Words all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / run))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  TemporaryFolder folder_;
};

/// Waits for the first checkpoint, which comes after some batches, does something, and goes on.
std::string at_first_checkpoint(const std::string& action) {
  return "\"$@\" & child=$!; until [ -e run/checkpoint ]; do kill -0 $child || exit 1; done; " + action +
         "; wait $child";
}

TEST_F(Faults, AFileCutWhileItIsReadIsAnErrorThatNamesIt) {
  for (const std::string format : {"npy", "h5", "csv", "csv.gz", "svm"}) {
    SCOPED_TRACE(format);
    const auto make_views = [&] { format == "csv.gz" ? make_packed(format) : make(format, format); };
    const std::string left = fmt::format("{0}/left.{0}", format),
                      right = fmt::format("{0}/right.{0}", format);
    for (const auto& action :
         {fmt::format("truncate -s 70000 {}", left), fmt::format("cp {1} {0}", left, right)}) {
      make_views();
      std::filesystem::remove_all(folder_ / "run");
      const auto run = script(at_first_checkpoint(action),
                              {"cca", left, right, "-p", "2", "--method", "landing", "--passes", "1000",
                               "--out", "run", "--quiet", "--checkpoint-every", "0"});
      EXPECT_EQ(run.code, 3) << action;
      EXPECT_TRUE(run.err.starts_with("landfall: " + left + ": ")) << run.err;
      EXPECT_NE(run.err.find("while it was being read"), std::string::npos) << run.err;
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    }
  }
}

TEST_F(Faults, AFolderHasOneRunAtATime) {
  // the second starts when the first has written a checkpoint, and the first is stopped afterwards
  const auto first =
      script(at_first_checkpoint("\"$@\" --force 2>second; echo $? >>second; kill -INT $child"),
             {"cca", "d/left.npy", "d/right.npy", "-p", "2", "--method", "landing", "--passes", "100000",
              "--out", "run", "--quiet", "--checkpoint-every", "0"});
  EXPECT_EQ(first.code, 130) << first.err;
  EXPECT_EQ(content(folder_ / "second"), "landfall: run: another run is writing into this folder\n2\n");
  // both from the start: the folder is made by the one, and seen by the other
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto both =
        script("\"$@\" 2>one & \"$@\" 2>two; echo $? >codes; wait $!; echo $? >>codes", cca("same"));
    const std::string codes = content(folder_ / "codes");
    EXPECT_TRUE(codes == "0\n2\n" || codes == "2\n0\n") << codes << both.err;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "same/summary.json"));
    std::filesystem::remove_all(folder_ / "same");
  }
}

TEST_F(Faults, TheFolderOfARunThatFailedIsGone) {
  EXPECT_EQ(landfall({"cca", "d/left.npy", "missing.npy", "-p", "2", "--out", "above/run"}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "above"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(landfall(cca("empty")).code, 0) << "an empty folder is as good as none";
}

TEST_F(Faults, ForceReplacesOnlyWhatRunsWrote) {
  ASSERT_EQ(landfall(cca("run")).code, 0);
  const Words written = names("run");
  ASSERT_EQ(landfall({"transform", "run", "d/left.npy", "d/right.npy", "-o", "run/scores.npy"}).code, 0);
  const std::string before = content(folder_ / "run/summary.json");
  expect_error(landfall(cca("run", {"--force"})), 2,
               "run/scores.npy: not written by the run, so the folder was not changed; move the file");
  EXPECT_EQ(content(folder_ / "run/summary.json"), before);
  std::filesystem::remove(folder_ / "run/scores.npy");
  EXPECT_EQ(landfall(cca("run", {"--force", "--checkpoint-every", "0"})).code, 0);
  EXPECT_EQ(names("run"), written);
  // a run of another kind
  EXPECT_EQ(landfall({"ica", "d/left.npy", "-p", "2", "--out", "run", "--force", "--quiet"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/weights_left.npy"));
  const auto other = landfall({"compare", "cca", "d/left.npy", "d/right.npy", "-p", "2", "--methods", "exact",
                               "--out", "run", "--force"});
  EXPECT_EQ(other.code, 0) << other.err;
  write_text(folder_ / "run/exact/notes.txt", "mine");
  expect_error(landfall(cca("run", {"--force"})), 2,
               "run/exact/notes.txt: not written by the run, so the folder was not changed; move the file");
}

TEST_F(Faults, ALimitOfTheAddressSpaceIsRespectedOrRefused) {
  ASSERT_EQ(landfall({"data", "pencil", "g", "-n", "50"}).code, 0);
  write_text(folder_ / "c.csv", "x,y,c\n1,2,a\n2,1,a\n1,1,a\n5,6,b\n6,5,b\n5,5,b\n");
  const std::vector<Words> commands{{"cca", "d/left.npy", "d/right.npy", "-p", "2"},
                                    {"cca", "d/left.npy", "d/right.npy", "-p", "2", "--method", "landing"},
                                    {"ica", "d/left.npy", "-p", "2"},
                                    {"lda", "c.csv", "--label-column", "c"},
                                    {"gevp", "g/A.npy", "g/B.npy", "-p", "2"}};
  for (const int limit : {100000, 300000, 500000, 800000})
    for (const Words& command : commands) {
      const auto run = script(fmt::format("ulimit -v {}; exec \"$@\"", limit), command);
      SCOPED_TRACE(fmt::format("{} {} {}", limit, command[0], run.err));
      EXPECT_EQ(run.code, limit < 340000 ? 3 : 0);
      EXPECT_EQ(run.code == 3, run.err.find("the address space is limited to") != std::string::npos);
    }
  const auto many = script("ulimit -v 400000; exec \"$@\"", cca("run", {"--threads", "4"}));
  expect_error(many, 3, "--threads 4: the limit of the address space (ulimit -v) allows 1");
}

TEST_F(Faults, ASmallStackIsRefusedWithASentence) {
  expect_error(script("ulimit -s 64; exec \"$@\"", cca("run")), 3,
               "the stack is limited to 64 KiB (ulimit -s), expected at least 1.0 MiB");
}

TEST_F(Faults, ClosedStreamsChangeNothing) {
  for (const std::string closed : {">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>/dev/full"}) {
    std::filesystem::remove_all(folder_ / "run");
    const auto run =
        script("exec \"$@\" " + closed, {"cca", "d/left.npy", "d/right.npy", "-p", "2", "--out", "run"});
    EXPECT_EQ(run.code, 0) << closed;
    EXPECT_EQ(landfall({"transform", "run", "d/left.npy", "d/right.npy", "-o", "run/s.npy"}).code, 0)
        << closed;
    EXPECT_EQ(script("exec \"$@\" " + closed, {"cca", "d/left.npy", "missing.npy"}).code, 3) << closed;
  }
  EXPECT_EQ(script("exec \"$@\" >/dev/full", {"cca", "d/left.npy", "d/right.npy", "-p", "2"}).code, 3);
}

TEST_F(Faults, AReportThatCannotBeWrittenIsAWarning) {
  ASSERT_EQ(landfall(cca("whole")).code, 0);
  // files of up to 90 KiB: the weights and the checkpoint fit, the report does not
  const auto run = script("ulimit -f 180; exec \"$@\"", cca("run"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.err.starts_with("landfall: warning: no report: ")) << run.err;
  EXPECT_EQ(content(folder_ / "run/weights_left.npy"), content(folder_ / "whole/weights_left.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/report.html"));
  EXPECT_EQ(landfall({"report", "run"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/report.html"));
}

TEST_F(Faults, AWideTableStaysWithinTheMemory) {
  std::string wide;
  for (int j = 0; j < 300000; ++j) wide += "1,";
  folder_.file("wide.csv", wide + "1\n" + wide + "2\n");
  expect_error(
      landfall({"ica", "wide.csv", "-p", "1", "--memory", "200MiB"}), 2,
      "wide.csv: about 300001 columns, which take 585 MiB of memory, expected at most the 200 MiB allowed");
}

TEST_F(Faults, ALongLineStaysWithinTheMemory) {
  // a bomb: 200 MB in one line, from 200 kB; the address space holds no more than the program, one line and a little
  const auto bomb =
      script("head -c 200000000 /dev/zero | tr '\\0' 1 | gzip -1 >bomb.csv.gz; ulimit -v 600000; exec \"$@\"",
             {"ica", "bomb.csv.gz", "-p", "1", "--memory", "200MiB"});
  expect_error(bomb, 3, "bomb.csv.gz: line 1: longer than 67108864 bytes");
}

TEST_F(Faults, NumbersThatOverflowAreCalledThat) {
  folder_.file("big.csv", "a,b,c\n1e200,2e200,x\n3e200,1e200,x\n2e200,5e200,y\n7e200,1e200,y\n");
  const std::string sentence = "big.csv: column 1 has numbers too large for their mean or variance";
  for (const Words& more : {Words{}, Words{"--ridge", "1"}}) {
    Words ica{"ica", "big.csv", "--columns", "a,b", "-p", "1"}, lda{"lda", "big.csv", "--label-column", "c"};
    ica.insert(ica.end(), more.begin(), more.end());
    lda.insert(lda.end(), more.begin(), more.end());
    expect_error(landfall(ica), 3, sentence);
    expect_error(landfall(lda), 3, sentence);
  }
}

TEST_F(Faults, EqualRunsLeaveEqualCheckpoints) {
  ASSERT_EQ(landfall(cca("one")).code, 0);
  ASSERT_EQ(landfall(cca("two")).code, 0);
  EXPECT_TRUE(content(folder_ / "one/checkpoint") == content(folder_ / "two/checkpoint"));
}

TEST_F(Faults, ASignalEndsEveryPhase) {
  // without a folder there is nothing to save; a pipe that gives no end keeps the run in its first reading
  const auto reading = script(
      "mkfifo pipe; (sleep 60 & echo $! >sleeper; cat d/left.csv; wait) >pipe & "
      "\"$@\" & child=$!; until [ -e sleeper ]; do :; done; kill -INT $child; kill $(cat sleeper); wait "
      "$child",
      {"ica", "pipe", "-p", "2"});
  EXPECT_TRUE(reading.code == 130 || reading.code == 3) << reading.code << reading.err;
  for (const std::string method : {"exact", "landing"})
    for (const std::string signal : {"INT", "TERM"}) {
      // the signal is already there when the program reads its first rows
      const auto run = script(
          fmt::format(
              "\"$@\" & child=$!; until [ -e run ]; do kill -0 $child || exit 1; done; kill -{} $child; "
              "wait $child",
              signal),
          {"cca", "d/left.npy", "d/right.npy", "-p", "2", "--method", method, "--passes", "100000", "--out",
           "run", "--quiet"});
      // a run of the exact method may end before the signal comes
      EXPECT_TRUE(run.code == 130 || (method == "exact" && run.code == 0)) << run.code << run.err;
      EXPECT_EQ(run.code == 130, run.err.starts_with("landfall: interrupted")) << run.err;
      std::filesystem::remove_all(folder_ / "run");
    }
}

TEST_F(Faults, ASignalEndsEigenproblemsAndScores) {
  ASSERT_EQ(landfall({"data", "pencil", "pencil", "-n", "60"}).code, 0);
  const auto solving = script(
      "\"$@\" 2>told & child=$!; until [ -s told ]; do kill -0 $child || exit 1; done; kill -INT $child; "
      "wait $child",
      {"gevp", "pencil/A.npy", "pencil/B.npy", "-p", "3", "--method", "landing", "--tolerance", "1e-300",
       "--max-iterations", "1000000000", "--verbose", "--out", "eigen"});
  EXPECT_EQ(solving.code, 130) << solving.err;
  EXPECT_NE(content(folder_ / "told").find("landfall: interrupted\n"), std::string::npos)
      << content(folder_ / "told");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "eigen"));

  ASSERT_EQ(landfall(cca("run")).code, 0);
  // many rows of zeros after those of the file, which take no room on the disk
  const auto scoring = script(
      "mkdir out; for view in left right; do cp d/$view.npy $view.npy; done; "
      "printf \"\\223NUMPY\\001\\000\\166\\000%-117s\\n\" \"{'descr': '<f4', 'fortran_order': False, "
      "'shape': (20000000, 20), }\" >left.npy; "
      "truncate -s 1600000128 left.npy; "
      "\"$@\" & child=$!; until ls out/*.tmp >/dev/null 2>&1; do kill -0 $child || exit 1; done; kill -TERM "
      "$child; wait $child",
      {"transform", "run", "left.npy", "--view", "left", "-o", "out/scores.csv", "--quiet"});
  EXPECT_EQ(scoring.code, 130) << scoring.err;
  EXPECT_EQ(scoring.err, "landfall: interrupted\n");
  EXPECT_EQ(names("out"), Words{});
}

}  // namespace
}  // namespace landfall::test
