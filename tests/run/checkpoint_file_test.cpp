// Checkpoints on the disk: what was written comes back, and nothing else is taken for it.
#include <landfall/run/checkpoint_file.hpp>

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
  EXPECT_EQ(error("a,b\n1,2\n"), "not a checkpoint of landfall");
  EXPECT_EQ(error(bytes.substr(0, bytes.size() - 1)), "a damaged checkpoint: 15 bytes, expected 11 and 5");
  EXPECT_EQ(error(bytes.substr(0, 24)), "a damaged checkpoint: it ends too early");
  std::string flipped = bytes;
  flipped[50] ^= 4;
  EXPECT_EQ(error(flipped), "a damaged checkpoint: its checksum does not fit");
  bytes[bytes.find('1')] = '2';
  EXPECT_EQ(error(bytes), "a checkpoint of format 2, expected at most 1: made by a newer landfall");
  std::filesystem::remove(path_);
  EXPECT_EQ(data_error(path_, [&] { read_checkpoint(path_); }), "no such file");
}

}  // namespace
}  // namespace landfall::test
