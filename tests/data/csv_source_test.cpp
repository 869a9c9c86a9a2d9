#include <landfall/data/formats/csv_source.hpp>

#include <data/gzip_bytes.hpp>
#include <data/read_all.hpp>
#include <data/standard_input.hpp>
#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

class Csv : public ::testing::Test {
 protected:
  RowMatrix<double> read(const std::string& text, const CsvOptions& options = {}) const {
    CsvSource<double> source(folder_.file("t.csv", text), options);
    return read_all(source).rows;
  }
  std::string error(const std::string& text, const CsvOptions& options = {}) const {
    return data_error(folder_ / "t.csv", [&] { read(text, options); });
  }
  std::string misuse(const std::string& text, const CsvOptions& options) const {
    const std::string said = usage_error([&] { read(text, options); });
    const std::string start = (folder_ / "t.csv").string() + ": ";
    return said.starts_with(start) ? said.substr(start.size()) : said;
  }

  TemporaryFolder folder_;
  const RowMatrix<double> table_ = (RowMatrix<double>(2, 3) << 1, -2.5, 3, 4e-3, 5, 6).finished();
};

TEST_F(Csv, SeparatorsAndHeadersAreDetected) {
  EXPECT_EQ(read("1,-2.5,3\n4e-3,5,6\n"), table_);
  EXPECT_EQ(read("1\t-2.5\t3\n4e-3\t5\t6"), table_);
  EXPECT_EQ(read("1;-2.5;3\r\n\r\n4e-3;5;6\r\n   \r\n"), table_);
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b,c\n1,-2.5,3\n4e-3,5,6\n"),
            table_);
  EXPECT_EQ(read("\"a;a\",b,c\n 1 , -2.5,+3\n4e-3,5 ,\"6\"\n"), table_);
  EXPECT_EQ(read("a;b;c,c\n1;-2.5;3\n4e-3;5;6\n"), table_);
  EXPECT_EQ(read("1|-2.5|3\n4e-3|5|6\n", {.separator = '|'}), table_);
  EXPECT_EQ(read("9,9,9\n1,-2.5,3\n4e-3,5,6\n", {.header = CsvHeader::present}), table_);
  EXPECT_EQ(read("7\n8\n"), (RowMatrix<double>(2, 1) << 7, 8).finished());
}

TEST_F(Csv, QuotedFieldsMayHoldAnything) {
  const CsvOptions options{.columns = {"say \"hi\"", "n"}, .label = "text"};
  CsvSource<double> source(
      folder_.file("t.csv", "\"say \"\"hi\"\"\",text,n\n1,\"a,\r\nb\",2\n\"3\",\"q\"\"q\",4\n"), options);
  const auto all = read_all(source);
  EXPECT_EQ(all.rows, (RowMatrix<double>(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(source.label_names(), (std::vector<std::string>{"a,\r\nb", "q\"q"}));
  EXPECT_EQ(source.column_names(), (std::vector<std::string>{"say \"hi\"", "n"}));
  EXPECT_EQ(error("a,b\n1,2\n\"3\n4,5\n"), "line 3: unterminated quoted field");
  EXPECT_EQ(error("1,2\n\"3\"4,5\n"), "line 2: '4' after a quoted field, expected a separator");
}

TEST_F(Csv, MissingValuesAreNaN) {
  const auto m = read("1,,3\nNA,nan,\n,\"\",NaN\n");
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(std::isnan(m(i, j)), i > 0 || j == 1) << i << ' ' << j;
}

TEST_F(Csv, ColumnsAreChosenByNameOrNumber) {
  const std::string text = "a,2,c,text\n1,2,3,x\n4,5,6,y\n";
  EXPECT_EQ(read(text, {.columns = {"c", "1"}}), (RowMatrix<double>(2, 2) << 3, 1, 6, 4).finished());
  EXPECT_EQ(read(text, {.header = CsvHeader::present, .columns = {"2"}}),
            (RowMatrix<double>(2, 1) << 2, 5).finished());
  EXPECT_EQ(misuse(text, {.columns = {"d"}}),
            "no column 'd', expected a name in the header or a number from 1 to 4");
  EXPECT_EQ(misuse("1,2\n", {.header = CsvHeader::absent, .columns = {"3"}}),
            "no column '3', expected a number from 1 to 2");
  EXPECT_EQ(misuse(text, {.columns = {"a", "1"}}), "column '1' was chosen twice");
  EXPECT_EQ(misuse("a,a\n1,2\n", {.columns = {"a"}}),
            "more than one column is named 'a', expected its number");
  EXPECT_EQ(misuse(text, {.separator = ':'}), "separator ':', expected ',', ';', '|', a tab or a blank");
}

TEST_F(Csv, LabelsAreNumbersOrClasses) {
  CsvSource<double> numbers(folder_.file("n.csv", "x,y\n1,7\n2,\n3,-1\n"), {.label = "y"});
  const auto labels = read_all(numbers).labels;
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels[0], 7);
  EXPECT_TRUE(std::isnan(labels[1]));
  EXPECT_EQ(labels[2], -1);
  EXPECT_TRUE(numbers.label_names().empty());

  // Without a header: the text in the first line is a label.
  CsvSource<double> classes(folder_.file("c.csv", "1,b\n2,a\n3,b\n4,7\n"), {.label = "2"});
  const auto first = read_all(classes);
  classes.rewind();
  const auto second = read_all(classes, 2);
  EXPECT_EQ(first.labels, (std::vector<double>{0, 1, 0, 2}));
  EXPECT_EQ(second.labels, first.labels);
  EXPECT_EQ(second.rows, first.rows);
  EXPECT_EQ(classes.label_names(), (std::vector<std::string>{"b", "a", "7"}));
  EXPECT_EQ(error("x,y\n1,7\n2,z\n", {.label = "y"}), "line 3, column 2 (y): 'z' is not a number");
}

TEST_F(Csv, BadRowsAreNamed) {
  EXPECT_EQ(error("1,2,3\n\n4,5\n"), "line 3: 2 fields, expected 3");
  EXPECT_EQ(error("1,2,3\n4,5,6,7,8\n"), "line 2: 5 fields, expected 3");
  EXPECT_EQ(error("age,height\n1,2\n3,abc\n"),
            "line 3, column 2 (height): 'abc' is not a number (--na 'abc' reads it as a missing value)");
  EXPECT_EQ(error("1,2\n3,4.5.6\n"),
            "line 2, column 2: '4.5.6' is not a number (--na '4.5.6' reads it as a missing value)");
  EXPECT_EQ(error("1;2\n3;4,5\n"),
            "line 2, column 2: '4,5' is not a number (--decimal , reads decimal commas)");
  EXPECT_EQ(error(""), "empty, expected rows of numbers");
  EXPECT_EQ(error("\n\r\n"), "empty, expected rows of numbers");
  EXPECT_EQ(error("a,b\n"), "a header but no rows");
  EXPECT_EQ(error("a\n1\n", {.label = "a"}), "only the label column, expected at least one other column");
}

TEST_F(Csv, RowsAreKnownAfterTheEndAndCanBeReadAgain) {
  CsvSource<float> source(folder_.file("t.csv", "a,b\n1,2\n3,4\n"));
  EXPECT_EQ(source.rows(), std::nullopt);
  EXPECT_EQ(source.format(), "csv");
  const auto once = read_all(source).rows;
  EXPECT_EQ(source.rows(), 2);
  source.rewind();
  EXPECT_EQ(read_all(source, 100).rows, once);
  EXPECT_FALSE(source.random_access());
}

TEST_F(Csv, StandardInputEqualsTheFile) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("{},{}\n", i, 0.1 * i);
  const auto expected = read(text);
  const StandardInput input(text);
  CsvSource<double> source("-");
  EXPECT_TRUE(same_bits(read_all(source, 997).rows, expected));
  EXPECT_EQ(usage_error([&] { source.rewind(); }), "standard input: cannot be read twice; expected a file");
}

TEST_F(Csv, WritersQuoteNamesAndCheckTheirNumber) {
  const Matrix<double> m = Matrix<double>::Ones(1, 2);
  write_csv<double>(folder_ / "q.csv", m, {.separator = ';', .names = {"a;\"b\"", "c"}});
  EXPECT_EQ(content(folder_ / "q.csv"), "\"a;\"\"b\"\"\";c\n1;1\n");
  CsvSource<double> source(folder_ / "q.csv");
  EXPECT_EQ(source.column_names(), (std::vector<std::string>{"a;\"b\"", "c"}));
  EXPECT_EQ(usage_error([&] { write_csv<double>(folder_ / "r.csv", m, {.names = {"a"}}); }),
            "a row of 2 under 1 names");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"q.csv"});
}

}  // namespace
}  // namespace landfall::test
