#include <landfall/data/io/file.hpp>
#include <landfall/data/io/mapped_file.hpp>
#include <landfall/errors.hpp>

#include <array>
#include <chrono>
#include <csignal>

#include <data/temporary_folder.hpp>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace landfall::test {
namespace {

TEST(InputFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const auto open = [](const std::filesystem::path& path) {
    return data_error(path, [&] { InputFile{path}; });
  };
  EXPECT_EQ(open(folder / "missing"), "no such file");
  EXPECT_EQ(open(folder.path()), "a folder, expected a file");
  EXPECT_EQ(open(folder.file("file", "x") / "below"), "cannot be opened: Not a directory");
  EXPECT_EQ(open(folder / std::string(300, 'x')), "cannot be opened: File name too long");
  EXPECT_EQ(open("/dev/null"), "not a regular file");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(open(folder / "pipe"), "not a regular file");
}

TEST(InputFile, ReadsFromAnyPlaceButNotBeyondTheEnd) {
  const TemporaryFolder folder;
  const InputFile file(folder.file("file", "0123456789"));
  EXPECT_EQ(file.size(), 10U);
  std::string out(4, ' ');
  file.read(3, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, "3456");
  EXPECT_EQ(data_error(folder / "file", [&] { file.read(8, std::as_writable_bytes(std::span(out))); }),
            "truncated: expected 12 bytes, found 10");
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  const TemporaryFolder folder;
  folder.file("file", "old");
  {
    AtomicFile file(folder / "file");
    file.write("new content");
    EXPECT_EQ(content(folder / "file"), "old");
    file.commit();
    EXPECT_EQ(content(folder / "file"), "new content");
  }
  EXPECT_EQ(content(folder / "file"), "new content");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  folder.file("file", "old");
  { AtomicFile(folder / "file").write("new"); }
  { AtomicFile(folder / "other").write("new"); }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  EXPECT_EQ(content(folder / "file"), "old");
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "file"), second(folder / "file");
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(content(folder / "file"), "first");
  second.commit();
  EXPECT_EQ(content(folder / "file"), "second");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(AtomicFile, FollowsALink) {
  const TemporaryFolder folder;
  folder.file("file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content(folder / "file"), "new");
}

TEST(AtomicFile, RefusesWhatCannotBeAFile) {
  const TemporaryFolder folder;
  const auto open = [](const std::filesystem::path& path) {
    return data_error(path, [&] { AtomicFile{path}; });
  };
  EXPECT_EQ(open(folder / "missing" / "file"), "cannot be written: No such file or directory");
  EXPECT_EQ(open(folder.file("file", "x") / "below"), "cannot be written: Not a directory");
  EXPECT_EQ(open(folder.path()), "a folder, expected a file");
  EXPECT_EQ(open("/dev/null"), "not a regular file");
  EXPECT_EQ(open(folder / std::string(300, 'x')), "cannot be written: File name too long");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

// A limit on the length of files stands for a full disk: the write itself fails, half-way.
TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  folder.file("file", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = data_error(folder / "file", [&] {
    AtomicFile file(folder / "file");
    file.write(std::string(5000, 'x'));
    file.commit();
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot be written: File too large");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  EXPECT_EQ(content(folder / "file"), "old");
}

TEST(InputFile, NoticesThatItHasChanged) {
  const TemporaryFolder folder;
  const auto path = folder.file("a.bin", std::string(10000, 'a'));
  const InputFile file(path);
  std::array<std::byte, 100> bytes{};
  file.read(0, bytes);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_EQ(data_error(path, [&] { file.read(0, bytes); }), "written to while it was being read");
  std::filesystem::resize_file(path, 50);
  EXPECT_EQ(data_error(path, [&] { file.read(0, bytes); }),
            "changed while it was being read: 50 bytes, 10000 when opened");
  folder.file("b.bin", std::string(10000, 'b'));
  std::filesystem::rename(folder / "b.bin", path);
  EXPECT_EQ(data_error(path, [&] { file.read(0, bytes); }),
            "replaced by another file while it was being read");
  std::filesystem::remove(path);
  EXPECT_NO_THROW(InputFile(folder.file("a.bin", "abc")).read(0, std::span(bytes).first(3)));
}

TEST(MappedFile, OfAFileThatWasCutReadsAsZerosAndSaysSo) {
  catch_cut_files();
  const TemporaryFolder folder;
  const auto path = folder.file("a.bin", std::string(1 << 20, 'a'));
  const MappedFile mapped{InputFile(path)};
  std::filesystem::resize_file(path, 1);
  const auto piece = mapped.piece(1 << 19, 100);
  EXPECT_EQ(std::to_integer<int>(piece[50]), 0);
  EXPECT_EQ(data_error(path, [&] { mapped.require_unchanged(); }),
            "changed while it was being read: 1 bytes, 1048576 when opened");
}

}  // namespace
}  // namespace landfall::test
