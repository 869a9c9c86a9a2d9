// Runs that are stopped, killed, and gone on with.

#include <algorithm>
#include <chrono>
#include <random>

#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>

namespace landfall::test {
namespace {

class Resume : public ::testing::Test {
 protected:
  Resume() {
    EXPECT_EQ(landfall({"data", "planted-cca", "d", "-N", "3000", "--left", "20", "--right", "15",
                        "--correlations", "0.9,0.7,0.5"})
                  .code,
              0);
  }
  Outcome landfall(const Words& arguments) { return run_program(folder_.path(), arguments); }
  /// With a limit in front, such as {"timeout", "-s", "KILL", "0.1"}.
  Outcome limited(const Words& limit, const Words& arguments) {
    Words words = limit;
    words.emplace_back(program_path());
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_words(folder_.path(), words);
  }
  Words cca(const std::string& out, const Words& more = {}) const {
    Words words{"cca",     "d/left.npy", "d/right.npy", "-p",    "2", "--method",
                "landing", "--passes",   "6",           "--out", out, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Both folders hold the same numbers, but for times.
  void expect_same(const std::string& run, const std::string& expected) {
    for (const char* name : {"weights_left.npy", "weights_right.npy"})
      EXPECT_EQ(content(folder_ / (run + "/" + name)), content(folder_ / (expected + "/" + name))) << name;
    Json a = Json::parse(content(folder_ / (run + "/summary.json"))),
         b = Json::parse(content(folder_ / (expected + "/summary.json")));
    for (const char* key : {"seconds", "peak_memory_bytes", "threads", "command"}) {
      a.erase(key);
      b.erase(key);
    }
    EXPECT_EQ(a, b);
  }
  void expect_tidy(const std::string& run) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / run))
      names.push_back(entry.path().extension());
    EXPECT_EQ(std::count(names.begin(), names.end(), ".tmp"), 0);
  }
  bool finished(const std::string& run) const {
    return std::filesystem::exists(folder_ / (run + "/summary.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(Resume, AfterKillsAtAnyMomentTheResultIsTheSame) {
  ASSERT_EQ(landfall(cca("whole")).code, 0);
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(landfall(cca("written", {"--checkpoint-every", "0"})).code, 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - began;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, 1);
  double latest = whole.count();  // a kill later than this comes to a run that has ended
  int killed = 0;
  for (int attempt = 0; killed < 30 && attempt < 300; ++attempt) {
    const std::string out = "run" + std::to_string(attempt);
    const double moment = 0.001 + latest * part(random);
    const Words limit{"timeout", "-s", "KILL", fmt::format("{:.4f}", moment)};
    // every step is written to the disk: most kills come while it is
    const auto first = limited(limit, cca(out, {"--checkpoint-every", "0"}));
    if (finished(out)) {  // or killed between its last file and its end
      latest = std::min(latest, std::max(moment, whole.count() / 100));
      if (first.code == 0) expect_tidy(out);
    } else {
      EXPECT_NE(first.code, 0);
      ++killed;
      const auto second = landfall(cca(out, {"--resume", "--threads", killed % 2 ? "1" : "2"}));
      EXPECT_EQ(second.code, 0) << second.err;
      expect_tidy(out);
    }
    expect_same(out, "whole");
  }
  EXPECT_EQ(killed, 30);
}

TEST_F(Resume, ASignalLeavesACheckpoint) {
  for (const std::string precision : {"single", "double"})
    for (const std::string signal : {"INT", "TERM"}) {
      const std::string name = precision + signal;
      ASSERT_EQ(landfall(cca("whole" + name, {"--precision", precision})).code, 0);
      // the first step writes a checkpoint; the watcher then sends the signal
      const std::string script = fmt::format(
          "\"$@\" & child=$!; until [ -e {0}/checkpoint ]; do kill -0 $child || exit 1; done; "
          "kill -{1} $child; wait $child",
          name, signal);
      const auto stopped = limited({"sh", "-c", script, "sh"},
                                   cca(name, {"--checkpoint-every", "0", "--precision", precision}));
      EXPECT_EQ(stopped.code, 130);
      EXPECT_EQ(stopped.err,
                fmt::format("landfall: interrupted; run the same command with --resume to continue from "
                            "{}/checkpoint\n",
                            name));
      EXPECT_FALSE(finished(name));
      EXPECT_EQ(landfall({"transform", name, "d/left.npy", "d/right.npy", "-o", "s.npy"}).code, 3);
      EXPECT_EQ(landfall(cca(name, {"--resume", "--precision", precision})).code, 0);
      expect_same(name, "whole" + name);
      expect_tidy(name);
    }
}

TEST_F(Resume, WhatDoesNotBelongTogetherIsRefused) {
  ASSERT_EQ(landfall(cca("whole")).code, 0);
  expect_error(landfall(cca("whole", {"--resume"})), 2, "whole: a finished run; there is nothing to resume");
  expect_error(landfall(cca("whole")), 2, "whole: already exists; choose another folder or use --force");

  // an unfinished run: the last checkpoint of a finished one, alone
  std::filesystem::create_directory(folder_ / "half");
  std::filesystem::copy(folder_ / "whole/checkpoint", folder_ / "half/checkpoint");
  const std::string before = content(folder_ / "half/checkpoint");
  expect_error(landfall(cca("half")), 2,
               "half: an unfinished run; --resume continues it, --force replaces it");
  expect_error(landfall(cca("half", {"--resume", "--seed", "3"})), 2,
               "half/checkpoint: belongs to a run with other options: --seed was not given, now 3");
  expect_error(landfall({"cca", "d/right.npy", "d/left.npy", "-p", "2", "--method", "landing", "--passes",
                         "6", "--out", "half", "--resume", "--quiet"}),
               3, "half/checkpoint: the data changed since the checkpoint was written");
  EXPECT_EQ(content(folder_ / "half/checkpoint"), before);

  std::string bytes = before;
  bytes[bytes.size() / 2] ^= 1;
  folder_.file("half/checkpoint", bytes);
  expect_error(landfall(cca("half", {"--resume"})), 3,
               "half/checkpoint: a damaged checkpoint: checksum mismatch");
  bytes[bytes.find('1')] = '9';
  folder_.file("half/checkpoint", bytes);
  expect_error(landfall(cca("half", {"--resume"})), 3,
               "half/checkpoint: a checkpoint of format 9, expected at most 1: written by a newer version of "
               "landfall");
  EXPECT_EQ(content(folder_ / "half/checkpoint"), bytes);

  EXPECT_EQ(landfall(cca("half", {"--force"})).code, 0);
  expect_same("half", "whole");
  expect_tidy("half");
  std::filesystem::create_directory(folder_ / "mine");
  folder_.file("mine/notes.txt", "keep");
  expect_error(landfall(cca("mine", {"--force"})), 2, "mine: not a run folder, so it was not changed");
  EXPECT_EQ(content(folder_ / "mine/notes.txt"), "keep");
}

TEST_F(Resume, ForceReplacesTheWholeRun) {
  ASSERT_EQ(landfall(cca("run")).code, 0);
  ASSERT_EQ(landfall({"cca", "d/left.npy", "d/right.npy", "-p", "1", "--method", "exact", "--out", "run",
                      "--force", "--quiet"})
                .code,
            0);
  EXPECT_EQ(Json::parse(content(folder_ / "run/summary.json"))["method"], "exact");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/history.csv"));
}

TEST_F(Resume, AFullDiskIsASentenceAndTheLastCheckpointStays) {
  ASSERT_EQ(landfall(cca("whole")).code, 0);
  // no file may be larger than one block of 1024 bytes
  const auto run = limited({"bash", "-c", "ulimit -f 1; exec \"$@\"", "bash"}, cca("run"));
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("cannot be written: File too large"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));

  std::filesystem::create_directory(folder_ / "half");
  std::filesystem::copy(folder_ / "whole/checkpoint", folder_ / "half/checkpoint");
  const auto half = limited({"bash", "-c", "ulimit -f 1; exec \"$@\"", "bash"}, cca("half", {"--resume"}));
  EXPECT_EQ(half.code, 3);
  EXPECT_EQ(content(folder_ / "half/checkpoint"), content(folder_ / "whole/checkpoint"));
  EXPECT_EQ(landfall(cca("half", {"--resume"})).code, 0);
  expect_same("half", "whole");
  expect_tidy("half");
}

TEST_F(Resume, AFolderThatCannotBeMadeIsFoundBeforeTheWork) {
  expect_error(landfall(cca("/proc/landfall")), 3,
               "/proc/landfall: cannot create the folder: No such file or directory");
}

TEST_F(Resume, AReadOnlyFolderIsFoundBeforeTheWork) {
  std::filesystem::create_directory(folder_ / "locked");
  namespace fs = std::filesystem;
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(folder_ / "locked", fs::perms(0555));
  const auto run = limited(as_nobody(), cca("locked/run"));
  if (run.code == 127 || run.code == 126) GTEST_SKIP() << "nobody cannot be made to run the program here";
  expect_error(run, 3, "locked/run: cannot create the folder: Permission denied");
}

TEST_F(Resume, IcaAndLdaGoOnToo) {
  ASSERT_EQ(landfall({"data", "laplace-ica", "i", "-N", "20000", "-n", "5"}).code, 0);
  const Words ica{"ica", "i/data.npy", "--passes", "3", "--batch", "64", "--quiet", "--out"};
  std::string labels;
  for (int i = 0; i < 3000; ++i) labels += i % 3 ? "a\n" : "b\n";
  folder_.file("labels.txt", labels);
  const Words lda{"lda",     "d/left.npy", "--labels", "labels.txt", "--method",
                  "landing", "--passes",   "40",       "--quiet",    "--out"};
  for (const Words& command : {ica, lda}) {
    const auto with = [&](const std::string& out, const Words& more = {}) {
      Words words = command;
      words.push_back(out);
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    const std::string whole = command[0] + "_whole", half = command[0] + "_half";
    ASSERT_EQ(landfall(with(whole)).code, 0);
    const std::string script = fmt::format(
        "\"$@\" & child=$!; until [ -e {}/checkpoint ]; do kill -0 $child || exit 1; done; "
        "kill -INT $child; wait $child",
        half);
    EXPECT_EQ(limited({"sh", "-c", script, "sh"}, with(half, {"--checkpoint-every", "0"})).code, 130);
    const auto end = landfall(with(half, {"--resume"}));
    EXPECT_EQ(end.code, 0) << end.err;
    const std::string weights = command[0] == "ica" ? "/unmixing.npy" : "/weights.npy";
    EXPECT_EQ(content(folder_ / (half + weights)), content(folder_ / (whole + weights)));
  }
}

}  // namespace
}  // namespace landfall::test
