// Run folders: all files or none, summary.json last, and nobody else's folder.
#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <stdexcept>

#include "data/temporary_folder.hpp"

namespace landfall::test {
namespace {

using Names = std::vector<std::string>;

class RunFolder : public ::testing::Test {
 protected:
  void write(const Names& names) {
    write_run_folder(run_, [&](const std::filesystem::path& folder) {
      for (const auto& name : names) write_text(folder / name, name);
    });
  }
  Names names() const {
    Names all;
    for (const auto& entry : std::filesystem::directory_iterator(run_))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  TemporaryFolder folder_;
  const std::filesystem::path run_ = folder_ / "above" / "run";
};

TEST_F(RunFolder, NewFilesReplaceThoseOfTheLastRun) {
  write({"a.npy", "b.npy", "summary.json"});
  EXPECT_EQ(names(), (Names{".landfall", "a.npy", "b.npy", "summary.json"}));
  write({"b.npy", "c.npy", "summary.json"});
  EXPECT_EQ(names(), (Names{".landfall", "b.npy", "c.npy", "summary.json"}));
}

TEST_F(RunFolder, WhatCannotBeWrittenLeavesItAsItWas) {
  const auto fail = [&] {
    write_run_folder(run_, [](const std::filesystem::path& folder) {
      write_text(folder / "a.npy", "new");
      throw std::runtime_error("the disk is full");
    });
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(run_));
  write({"a.npy", "summary.json"});
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(names(), (Names{".landfall", "a.npy", "summary.json"}));
  EXPECT_EQ(content(run_ / "a.npy"), "a.npy");
}

TEST_F(RunFolder, OldFilesComeBackWhenNewOnesCannotBePutInPlace) {
  write({"a.npy", "b.npy", "summary.json"});
  EXPECT_THROW(write({"b.npy", "c.npy"}), DataError) << "without a summary, which is moved last";
  EXPECT_EQ(names(), (Names{".landfall", "a.npy", "b.npy", "summary.json"}));
  EXPECT_EQ(content(run_ / "summary.json"), "summary.json");
  EXPECT_NO_THROW(require_usable_folder(run_, Existing::replace)) << "all of them are still the run's";
}

TEST_F(RunFolder, FilesOfOthersStay) {
  write({"a.npy", "summary.json"});
  std::filesystem::create_directory(run_ / "more");
  write_text(run_ / "more" / "notes.txt", "mine");
  EXPECT_THROW(require_usable_folder(run_, Existing::replace), UsageError);
  write({"c.npy", "summary.json"});
  EXPECT_EQ(names(), (Names{".landfall", "c.npy", "more", "summary.json"}));
  begin_run_folder(run_);
  EXPECT_EQ(names(), Names{"more"});
  EXPECT_EQ(content(run_ / "more" / "notes.txt"), "mine");
}

TEST_F(RunFolder, IsUsedOnlyAsAllowed) {
  EXPECT_NO_THROW(require_usable_folder(run_, Existing::refuse));
  write({"summary.json"});
  EXPECT_THROW(require_usable_folder(run_, Existing::refuse), UsageError);
  EXPECT_THROW(require_usable_folder(run_, Existing::resume), UsageError) << "it is finished";
  EXPECT_NO_THROW(require_usable_folder(run_, Existing::replace));

  begin_run_folder(run_);
  write_text(checkpoint_in(run_), "state");
  EXPECT_EQ(names(), Names{"checkpoint"}) << "what there was is gone";
  EXPECT_THROW(require_usable_folder(run_, Existing::refuse), UsageError);
  EXPECT_NO_THROW(require_usable_folder(run_, Existing::resume));

  write_text(folder_ / "above" / "notes.txt", "mine");
  for (const Existing existing : {Existing::refuse, Existing::replace, Existing::resume})
    EXPECT_THROW(require_usable_folder(folder_ / "above", existing), UsageError);
  EXPECT_THROW(require_usable_folder(folder_ / "above" / "notes.txt" / "run", Existing::refuse), DataError);
}

}  // namespace
}  // namespace landfall::test
