// Columns by name, number, range and wildcard, of every format.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/columns.hpp>

#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<Index>;

const Texts names = {"age", "sex", "bmi", "s1", "s2", "s3", "10-12", "a..b"};

Numbers chosen(const ColumnChoice& choice) {
  return choose_columns("t", names, 8, choice).kept;
}

TEST(Columns, AreNamesNumbersRangesAndWildcards) {
  EXPECT_EQ(chosen({}), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(chosen({.columns = {"bmi", "1"}}), (Numbers{2, 0}));
  EXPECT_EQ(chosen({.columns = {"s1..s3"}}), (Numbers{3, 4, 5}));
  EXPECT_EQ(chosen({.columns = {"2..bmi", "5-6"}}), (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(chosen({.columns = {"7.."}}), (Numbers{6, 7}));
  EXPECT_EQ(chosen({.columns = {"..2"}}), (Numbers{0, 1}));
  EXPECT_EQ(chosen({.columns = {"s*"}}), (Numbers{1, 3, 4, 5}));
  EXPECT_EQ(chosen({.columns = {"s?"}}), (Numbers{3, 4, 5}));
  EXPECT_EQ(chosen({.columns = {"*g*"}}), (Numbers{0}));
  // A name comes before what else the text may mean.
  EXPECT_EQ(chosen({.columns = {"10-12", "a..b"}}), (Numbers{6, 7}));
}

TEST(Columns, ThatAreExcludedOrLabelsAreNeverHandedOut) {
  EXPECT_EQ(chosen({.exclude = {"s*", "7.."}}), (Numbers{0, 2}));
  EXPECT_EQ(chosen({.columns = {"age..s1"}, .exclude = {"2"}}), (Numbers{0, 2, 3}));
  EXPECT_EQ(chosen({.columns = {"1..4"}, .label = "sex", .index = "age"}), (Numbers{2, 3}));
  EXPECT_EQ(choose_columns("t", names, 8, {.label = "sex"}).label, 1);
}

TEST(Columns, ThatDoNotExistAreNamed) {
  const auto misuse = [](const ColumnChoice& choice) { return usage_error([&] { chosen(choice); }); };
  EXPECT_EQ(misuse({.columns = {"weight"}}),
            "t: no column 'weight', expected a name in the header or a number from 1 to 8");
  EXPECT_EQ(misuse({.exclude = {"9"}}),
            "t: no column '9', expected a name in the header or a number from 1 to 8");
  EXPECT_EQ(misuse({.columns = {"0"}}),
            "t: no column '0', expected a name in the header or a number from 1 to 8");
  EXPECT_EQ(misuse({.columns = {"x*"}}), "t: no column fits 'x*'");
  EXPECT_EQ(misuse({.columns = {"s3..s1"}}), "t: the columns 's3..s1' end before they begin");
  EXPECT_EQ(misuse({.columns = {"s*", "s1"}}), "t: column 's1' was chosen twice");
  EXPECT_EQ(misuse({.index = "id"}),
            "t: no column 'id', expected a name in the header or a number from 1 to 8");
  EXPECT_EQ(usage_error([] { choose_columns("t", {}, 3, {.columns = {"x*"}}); }),
            "t: no column fits 'x*', and the columns have no names");
  EXPECT_EQ(data_error("t", [] { chosen({.exclude = {"*"}}); }),
            "every column is left out, expected at least one other column");
  EXPECT_EQ(data_error("t",
                       [] {
                         chosen({.columns = {"a", "2", "sex", "c", "d", "e", "f", "g"}, .exact = true});
                       }),
            "no column 'a', '2', 'c', 'd', 'e' and 2 more");
}

template <class S>
class ChosenColumnsOf : public Typed<S> {};
TYPED_TEST_SUITE(ChosenColumnsOf, Scalars);

TYPED_TEST(ChosenColumnsOf, EveryFormatAreTheSame) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const RowMatrix<S> m = (RowMatrix<S>(3, 5) << 1, 0, 3, 4, 5, 0, 7, 8, 0, 10, 11, 12, 0, 14, 15).finished();
  const RowMatrix<S> expected = (RowMatrix<S>(3, 3) << 5, 1, 3, 10, 0, 8, 15, 11, 0).finished();
  write_npy<S>(folder / "m.npy", m);
  folder.file("m.csv", "1,0,3,4,5\n0,7,8,0,10\n11,12,0,14,15\n");
  folder.file("m.svm", "0 1:1 3:3 4:4 5:5\n0 2:7 3:8 5:10\n0 1:11 2:12 4:14 5:15\n");
  folder.file(
      "m.mtx",
      "%%MatrixMarket matrix array real general\n3 5\n1\n0\n11\n0\n7\n12\n3\n8\n0\n4\n0\n14\n5\n10\n15\n");
  folder.file("m.txt", "1 0  3 4 5\n0 7 8 0 10\n 11\t12 0 14 15 \n");
  for (const std::string name : {"m.npy", "m.csv", "m.svm", "m.mtx", "m.txt"}) {
    SCOPED_TRACE(name);
    const auto source = open_source<S>(folder / name, {.columns = {"5", "1..3"}, .exclude = {"2"}});
    EXPECT_EQ(source->cols(), 3);
    for (int reading = 0; reading < 2; ++reading) {
      EXPECT_EQ(read_all(*source, 2).rows, expected);
      source->rewind();
    }
    if (source->random_access()) {
      Batch<S> batch;
      source->read_rows(Numbers{2}, batch);
      EXPECT_EQ(batch.dense().col(0).transpose(), expected.row(2));
    }
  }
  std::filesystem::create_directory(folder / "parts");
  folder.file("parts/1.svm", "0 1:7 2:1\n");
  folder.file("parts/2.svm", "0 4:5\n");
  const auto parts = open_source<S>(folder / "parts", {.exclude = {"1"}});
  EXPECT_EQ(read_all(*parts).rows, (RowMatrix<S>(2, 3) << 1, 0, 0, 0, 0, 5).finished());
}

}  // namespace
}  // namespace landfall::test
