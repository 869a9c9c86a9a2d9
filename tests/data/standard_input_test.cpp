// Standard input and pipes as sources: copied once to a temporary file, their type told by content, and joined to files.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/stream.hpp>

#include <data/file_bytes.hpp>
#include <data/gzip_bytes.hpp>
#include <data/read_all.hpp>
#include <data/standard_input.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>
#include <sys/stat.h>

namespace landfall::test {
namespace {

std::string many_rows(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, i % 7);
  return text;
}

TEST(StandardInputSource, CsvIsReadOnceAndKept) {
  const std::string text = many_rows(50000);  // several buffers, far more than a pipe holds
  const TemporaryFolder folder;
  const auto expected = read_all(*open_source<double>(folder.file("a.csv", text)), 1000).rows;
  for (const bool packed : {false, true}) {
    const StandardInput input(packed ? gzip_bytes(text) : text);
    const auto source = open_source<double>("-");
    EXPECT_EQ(source->name(), "standard input");
    EXPECT_EQ(source->format(), "csv");
    EXPECT_TRUE(source->rewindable());
    for (int reading = 0; reading < 2; ++reading) {
      EXPECT_TRUE(same_bits(read_all(*source, 1000).rows, expected));
      source->rewind();
    }
  }
}

TEST(StandardInputSource, PipesAreReadLikeFilesOfAnyFormat) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Matrix<double> m = gaussian<double>(300, 4, {5});
  write_npy<double>(folder / "m.npy", m);
  for (const std::string& bytes : {content(folder / "m.npy"), std::string("a,b\n1,2\n3,4\n")}) {
    const std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    const auto source = open_source<double>(pipe);
    EXPECT_EQ(source->name(), pipe.string());
    for (int reading = 0; reading < 2; ++reading) {
      if (source->format() == "npy")
        EXPECT_EQ(read_all(*source).rows, m);
      else
        EXPECT_EQ(read_all(*source).rows, (RowMatrix<double>(2, 2) << 1, 2, 3, 4).finished());
      source->rewind();
    }
  }
}

TEST(StandardInputSource, TheCopyHasNoNameInTmpdir) {
  const TemporaryFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  {
    const StandardInput input("1,2\n3,x\n5,6\n");
    const auto source = open_source<double>("-");
    EXPECT_EQ(folder.names(), std::vector<std::string>{});
    EXPECT_NE(data_error("standard input", [&] { read_all(*source); }), "");
  }
  ::setenv("TMPDIR", (folder / "none").c_str(), 1);
  {
    const StandardInput input("1\n");
    const auto source = open_source<double>("-");  // a folder that does not exist is not used
    EXPECT_EQ(read_all(*source).rows.rows(), 1);
  }
  ::setenv("TMPDIR", old.c_str(), 1);
}

TEST(StandardInputSource, SvmlightIsKeptSoThatItsColumnsCanBeCounted) {
  std::string text = "# labels and entries\n5\n";
  for (int i = 1; i < 20000; ++i) text += fmt::format("{} {}:{}\n", i % 3, i, i);
  const TemporaryFolder folder;
  const auto file = open_source<float>(folder.file("a.svm", text));
  for (const bool packed : {false, true}) {
    const StandardInput input(packed ? gzip_bytes(text) : text);
    const auto source = open_source<float>("-");
    EXPECT_EQ(source->format(), "svmlight");
    EXPECT_EQ(source->cols(), 19999);
    EXPECT_TRUE(source->rewindable());
    for (int reading = 0; reading < 2; ++reading) {
      Batch<float> batch, expected;
      while (source->read(1000, batch) > 0) {
        file->read(1000, expected);
        ASSERT_TRUE(std::ranges::equal(batch.columns(), expected.columns()));
        ASSERT_TRUE(std::ranges::equal(batch.values(), expected.values()));
        ASSERT_TRUE(std::ranges::equal(source->labels(), file->labels()));
      }
      EXPECT_EQ(file->read(1, expected), 0);
      source->rewind();
      file->rewind();
    }
  }
}

TEST(StandardInputSource, TheContentTellsTheType) {
  const auto format = [](const std::string& text) {
    const StandardInput input(text);
    const auto source = open_source<double>("-");
    read_all(*source);
    return std::string(source->format());
  };
  EXPECT_EQ(format("1\n2\n3\n"), "csv");
  EXPECT_EQ(format("1\t2\n"), "tsv");
  EXPECT_EQ(format("x y,z\n1,2\n"), "csv");
  EXPECT_EQ(format("time at 12:30,y\n1,2\n"), "csv");
  EXPECT_EQ(format("1\n-1 1:0\n"), "svmlight");
  EXPECT_EQ(format("1 qid:4 1:0\n"), "svmlight");
  EXPECT_EQ(format("+1.5 0:2"), "svmlight");
}

TEST(StandardInputSource, IsJoinedToFilesOnce) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.file("a.csv", "1,2\n");
  using Paths = std::vector<std::filesystem::path>;
  const StandardInput input("3,4\n");
  const auto source = open_source<double>(Paths{file, "-"});
  EXPECT_TRUE(source->rewindable());
  EXPECT_EQ(read_all(*source).rows, (RowMatrix<double>(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(usage_error([] {
              open_source<double>(Paths{"-", "-"});
            }),
            "standard input is given twice, expected once");
}

TEST(StandardInputSource, IsCentredAsAFileIs) {
  const StandardInput input(many_rows(3000));
  std::vector<SourcePtr<double>> views;
  views.push_back(open_source<double>("-"));
  DataStream<double> stream(std::move(views), {.batch = 100});
  EXPECT_EQ(stream.centring(), Centring::exact);
  for (std::uint64_t pass = 0; pass < 2; ++pass) {
    stream.begin_pass(pass);
    Index rows = 0;
    while (stream.next()) rows += stream.view(0).rows();
    EXPECT_EQ(rows, 3000);
  }
  EXPECT_DOUBLE_EQ(stream.transform(0).mean()(0), 2999 / 2.0);
}

}  // namespace
}  // namespace landfall::test
