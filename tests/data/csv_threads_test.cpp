// Tables that several threads parse have the same rows, and the same sentences for what is wrong in them.
#include <landfall/data/formats/csv_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <cstring>

#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

/// The entries of all rows, or the sentence that ended them, with the rows before it.
template <class S>
std::pair<std::vector<S>, std::string> entries(const std::filesystem::path& path, Index batch_rows,
                                               const CsvOptions& options) {
  std::vector<S> all;
  try {
    CsvSource<S> source(path, options);
    Batch<S> batch;
    for (int reading = 0; reading < 2; ++reading) {  // and again after rewind()
      while (source.read(batch_rows, batch) > 0) {
        for (Index i = 0; i < batch.rows(); ++i)
          EXPECT_EQ(batch.numbers()[static_cast<std::size_t>(i)], batch.numbers()[0] + i);
        all.insert(all.end(), batch.values().begin(), batch.values().end());
      }
      source.rewind();
    }
  } catch (const DataError& error) {
    return {all, error.what()};
  }
  return {all, ""};
}

template <class S>
void expect_same(const std::string& text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  const auto path = folder.file("t.csv", text);
  for (const Index batch : {7, 64, 1000}) {
    const auto [one, said] = entries<S>(path, batch, options);
    ThreadPool pool(3);
    const ThreadPool::Use use(pool);
    const auto [many, said_by_many] = entries<S>(path, batch, options);
    EXPECT_EQ(said_by_many, said);
    ASSERT_EQ(many.size(), one.size());
    EXPECT_EQ(std::memcmp(many.data(), one.data(), one.size() * sizeof(S)), 0) << "batches of " << batch;
  }
}

std::string plain_rows(int count, const char* end = "\n") {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{},{:.7g}, {}e-3{}", i, 1.0 / (i + 1), -i * i, end);
  return text;
}

template <class S>
class CsvThreads : public ::testing::Test {};
TYPED_TEST_SUITE(CsvThreads, Scalars);

TYPED_TEST(CsvThreads, GiveTheSameBits) {
  using S = TypeParam;
  expect_same<S>(plain_rows(500));
  expect_same<S>("a,b,c\r\n" + plain_rows(500, "\r\n"));
  expect_same<S>(plain_rows(300) + "1,2,3");  // no line break at the end
  expect_same<S>(plain_rows(40), {.missing = {"0"}});
  expect_same<S>("\xEF\xBB\xBF" + plain_rows(100));
  // Rows of other kinds between plain ones: missing values, quotes, lines within a field, empty lines.
  std::string mixed = "a,b,c,text\n";
  for (int i = 0; i < 400; ++i)
    mixed += i % 11 == 3   ? "1,,3,x\n"
             : i % 11 == 5 ? "\"4\",5,NA,y\n"
             : i % 31 == 7 ? "6,7,8,\"one\n1,2,3,4\n\n5,6,7,8\"\n\n  \n"
                           : fmt::format("{},{},{},z\n", i, i / 7.0, 1e-30 * i);
  expect_same<S>(mixed);
  expect_same<S>(mixed, {.columns = {"c", "a"}});
}

TYPED_TEST(CsvThreads, SayTheSameSentences) {
  using S = TypeParam;
  const std::string before = plain_rows(100) + "\n\"1\",2,3\n" + plain_rows(90);
  for (const char* wrong : {"1,x,3\n", "1,2\n", "1,2,3,4\n", "\"1\"2,2,3\n", "\"1,2,3\n"}) {
    expect_same<S>(before + wrong + plain_rows(50));
    expect_same<S>(before + wrong);
  }
  const TemporaryFolder folder;
  ThreadPool pool(2);
  const ThreadPool::Use use(pool);
  const auto path = folder.file("t.csv", before + "1,x,3\n" + plain_rows(50));
  EXPECT_EQ(
      entries<S>(path, 64, {}).second,
      path.string() + ": line 193, column 2: 'x' is not a number (--na 'x' reads it as a missing value)");
}

}  // namespace
}  // namespace landfall::test
