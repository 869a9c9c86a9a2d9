// Checkpoints on the disk: what was written comes back, nothing else is taken for it, and a run resumes from it.
#include <landfall/errors.hpp>
#include <landfall/run/checkpoints.hpp>
#include <landfall/run/run_folder.hpp>

#include "data/temporary_folder.hpp"

namespace landfall::test {
namespace {

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile() { write_checkpoint(path_, {options_, state_}); }
  std::string error(const std::string& bytes) {
    folder_.file("checkpoint", bytes);
    return data_error(path_, [&] { read_checkpoint(path_); });
  }

  TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "checkpoint";
  const std::string options_ = "{\"seed\": 1}", state_ = std::string("a\0b\n\xff", 5);
};

TEST_F(CheckpointFile, ComesBack) {
  const auto back = read_checkpoint(path_);
  EXPECT_EQ(back.options, options_);
  EXPECT_EQ(back.state, state_);
  write_checkpoint(path_, {"", ""});
  EXPECT_EQ(read_checkpoint(path_).state, "");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"checkpoint"});
}

TEST_F(CheckpointFile, EveryByteCounts) {
  const std::string good = content(path_);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_NE(error(bad), "no error") << i;
    EXPECT_NE(error(good.substr(0, i)), "no error") << i;
  }
  EXPECT_NE(error(good + "x"), "no error");
}

TEST_F(CheckpointFile, SaysWhatIsWrong) {
  std::string bytes = content(path_);
  EXPECT_EQ(error("a,b\n1,2\n"), "not a landfall checkpoint");
  EXPECT_EQ(error(bytes.substr(0, bytes.size() - 1)), "a damaged checkpoint: 15 bytes, expected 11 and 5");
  EXPECT_EQ(error(bytes.substr(0, 24)), "a damaged checkpoint: it ends too early");
  std::string flipped = bytes;
  flipped[50] ^= 4;
  EXPECT_EQ(error(flipped), "a damaged checkpoint: checksum mismatch");
  bytes[bytes.find('1')] = '2';
  EXPECT_EQ(error(bytes),
            "a checkpoint of format 2, expected at most 1: written by a newer version of landfall");
  std::filesystem::remove(path_);
  EXPECT_EQ(data_error(path_, [&] { read_checkpoint(path_); }), "no such file");
}

/// A run in the folder "run" that was asked for with --seed 1.
class RunCheckpointsTest : public ::testing::Test {
 protected:
  RunCheckpointOptions options(bool resume = false) {
    return {.folder = run_, .options = {{"--seed", "1"}}, .every = 1e9, .resume = resume, .stop = [this] {
              return stop_;
            }};
  }
  void stop_at(const std::string& state) {
    RunCheckpoints run(options());
    const Checkpoints hooks = run.hooks();
    EXPECT_FALSE(hooks.due()) << "neither is it time, nor was it asked to stop";
    stop_ = true;
    EXPECT_TRUE(hooks.due());
    EXPECT_THROW(hooks.save(state), Interrupted);
    stop_ = false;
  }

  TemporaryFolder folder_;
  const std::filesystem::path run_ = folder_ / "run";
  bool stop_ = false;
};

TEST_F(RunCheckpointsTest, WithoutAFolderThereAreNone) {
  RunCheckpoints run({.resume = true});
  EXPECT_FALSE(run.hooks().due);
  EXPECT_FALSE(run.resumed());
}

TEST_F(RunCheckpointsTest, AStoppedRunResumesFromItsState) {
  stop_at("half");
  RunCheckpoints again(options(true));
  EXPECT_TRUE(again.resumed());
  EXPECT_EQ(again.hooks().resume, "half");
  EXPECT_FALSE(RunCheckpoints(options()).resumed()) << "unless it is not asked to";
}

TEST_F(RunCheckpointsTest, IsDueWhenItsTimeHasCome) {
  RunCheckpointOptions often = options();
  often.every = 0;
  RunCheckpoints run(often);
  const Checkpoints hooks = run.hooks();
  EXPECT_TRUE(hooks.due());
  hooks.save("first");
  hooks.save("second");
  EXPECT_EQ(read_checkpoint(checkpoint_in(run_)).state, "second");
}

TEST_F(RunCheckpointsTest, TheLastStateGoesToTheFinishedRun) {
  RunCheckpoints run(options());
  const Checkpoints hooks = run.hooks();
  run.write_last(folder_.path());
  EXPECT_TRUE(folder_.names().empty()) << "no step was made";
  hooks.finish("end");
  run.write_last(folder_.path());
  EXPECT_EQ(read_checkpoint(folder_ / "checkpoint").state, "end");
}

TEST_F(RunCheckpointsTest, OtherOptionsAreRefused) {
  stop_at("half");
  const auto error = [&](const std::vector<std::pair<std::string, std::string>>& given) {
    RunCheckpointOptions other = options(true);
    other.options = given;
    try {
      const RunCheckpoints run(other);
    } catch (const UsageError& refused) {
      return std::string(refused.what()).substr((run_ / "checkpoint").string().size());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error({{"--seed", "1"}}), "no error");
  EXPECT_EQ(error({{"--seed", "2"}}), ": belongs to a run with other options: --seed was 1, now 2");
  EXPECT_EQ(error({}), ": belongs to a run with other options: --seed was 1, now not given");
  EXPECT_EQ(error({{"--seed", "1"}, {"--scale", "true"}}),
            ": belongs to a run with other options: --scale was not given, now true");
}

TEST_F(RunCheckpointsTest, DamagedOptionsAreAnError) {
  std::filesystem::create_directory(run_);
  write_checkpoint(run_ / "checkpoint", {"--seed", "state"});
  EXPECT_EQ(data_error(run_ / "checkpoint", [&] { const RunCheckpoints run(options(true)); }),
            "a damaged checkpoint: its options");
}

}  // namespace
}  // namespace landfall::test
