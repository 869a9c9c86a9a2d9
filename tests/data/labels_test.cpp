#include <landfall/data/formats/labels.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <data/file_bytes.hpp>
#include <data/gzip_bytes.hpp>
#include <data/read_all.hpp>
#include <data/source_checks.hpp>
#include <data/standard_input.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

using Names = std::vector<std::string>;

Names class_names(const Labels& labels) {
  return {labels.names().begin(), labels.names().end()};
}

std::vector<Index> classes(const Labels& labels) {
  std::vector<Index> result;
  for (Index row = 0; row < labels.rows(); ++row) result.push_back(labels.of(row));
  return result;
}

void expect_labels(const Labels& labels, const Names& expected_names, const std::vector<Index>& expected) {
  EXPECT_EQ(class_names(labels), expected_names);
  EXPECT_EQ(labels.classes(), static_cast<Index>(expected_names.size()));
  EXPECT_EQ(classes(labels), expected);
}

class LabelFiles : public ::testing::Test {
 protected:
  Labels read(const std::string& text, const LabelOptions& options = {}) const {
    return read_labels(folder_.file("labels.csv", text), options);
  }
  std::string error(const std::string& bytes, const std::string& name = "labels.csv") const {
    const auto path = folder_.file(name, bytes);
    return data_error(path, [&] { read_labels(path); });
  }
  TemporaryFolder folder_;
};

TEST_F(LabelFiles, NamesAreSortedAsNumbersWhereAllAreAndAsTextElse) {
  expect_labels(read("10\n9\n-1\n9.0\n1e1\n"), {"-1", "9", "10"}, {2, 1, 0, 1, 2});
  expect_labels(read("10\n9\nx\n9\n10\n"), {"10", "9", "x"}, {0, 1, 2, 1, 0});
  expect_labels(read("rose\ntulip\nRose\nrose\n"), {"Rose", "rose", "tulip"}, {1, 2, 0, 1});
  expect_labels(read("-0\n0\n"), {"0"}, {0, 0});
  expect_labels(read("inf\n1\ninf\n"), {"1", "inf"}, {1, 0, 1});
}

TEST_F(LabelFiles, LinesMayBeQuotedPaddedOrEndedAnyHow) {
  expect_labels(read("\"a, \"\"b\"\"\"\r\n  c\r\n\"a, \"\"b\"\"\"\r\nc\r\n\r\n\n"), {"a, \"b\"", "c"},
                {0, 1, 0, 1});
  expect_labels(read_labels(folder_.file("x", gzip_bytes("b\na\nb"))), {"a", "b"}, {1, 0, 1});
  const StandardInput input("2\n1\n");
  expect_labels(read_labels("-"), {"1", "2"}, {1, 0});
}

TEST_F(LabelFiles, AHeaderIsDetectedOrTold) {
  expect_labels(read("species\n1\n2\n"), {"1", "2"}, {0, 1});
  expect_labels(read("species\nb\na\nb\na\n"), {"a", "b"}, {1, 0, 1, 0});
  expect_labels(read("c\nb\na\nb\n"), {"a", "b", "c"}, {2, 1, 0, 1});  // a occurs once too: a class like that
  expect_labels(read("a\n"), {"a"}, {0});
  expect_labels(read("species\n1\n2\n", {.header = CsvHeader::absent}), {"1", "2", "species"}, {2, 0, 1});
  expect_labels(read("1\n1\n2\n", {.header = CsvHeader::present}), {"1", "2"}, {0, 1});
}

TEST_F(LabelFiles, NumbersMayBeInAnyFormatOfOneColumn) {
  const Matrix<double> m = (Matrix<double>(4, 1) << 7, 0, 7, -2).finished();
  const Names expected = {"-2", "0", "7"};
  const std::vector<Index> order = {2, 1, 2, 0};
  expect_labels(read_labels(folder_.file("l.npy", npy_file<std::int64_t>("i8", m, false, false))), expected,
                order);
  expect_labels(read_labels(folder_.file("l", idx_file<std::int8_t>(9, m, {4}))), expected, order);
  expect_labels(read_labels(folder_.file("l.gz", gzip_bytes(idx_file<std::int8_t>(9, m, {4})))), expected,
                order);
  const std::string market = "%%MatrixMarket matrix ";
  expect_labels(read_labels(folder_.file("l.mtx", market + "array integer general\n4 1\n7\n0\n7\n-2\n")),
                expected, order);
  expect_labels(
      read_labels(folder_.file("s.mtx", market + "coordinate real general\n4 1 3\n1 1 7\n3 1 7\n4 1 -2\n")),
      expected, order);
  const std::string svmlight = "7 1:1\n0\n7 2:1\n-2 1:1\n";
  expect_labels(read_labels(folder_.file("l.svm", svmlight)), expected, order);
  expect_labels(read_labels(folder_.file("l.svm.gz", gzip_bytes(svmlight))), expected, order);
  expect_labels(labels_of(*open_source<float>(folder_ / "l.svm")), expected, order);
}

TEST_F(LabelFiles, BadOnesAreNamed) {
  EXPECT_EQ(error(""), "empty, expected labels");
  EXPECT_EQ(error("a\n\nb\n"), "line 2: no label");
  EXPECT_EQ(error("a\nNA\nb\n"), "line 2: no label");
  EXPECT_EQ(error("a\nb,c\n"), "line 2: several fields in 'b,c', expected one label");
  EXPECT_EQ(error("a\n\"b\",c\n"), "line 2: several fields in '\"b\",c', expected one label");
  EXPECT_EQ(error("\"a\n"), "line 1: unterminated quoted field, expected one label");
  EXPECT_EQ(error(npy_file<double>("f8", Matrix<double>::Zero(2, 3), false, false)),
            "3 columns, expected one column of labels");
  const Matrix<double> gap = (Matrix<double>(3, 1) << 1, std::nan(""), 2).finished();
  EXPECT_EQ(error(npy_file<double>("f8", gap, false, false)), "no label in row 2");
  EXPECT_EQ(data_error(folder_.path(), [&] { read_labels(folder_.path()); }), "a folder, expected a file");
}

TEST_F(LabelFiles, DifferentNumbersOfRowsAreBothSaid) {
  const Labels labels = read("a\nb\na\n");
  const std::string path = (folder_ / "labels.csv").string();
  labels.expect_rows("x.npy", 3);
  try {
    labels.expect_rows("x.npy", 4);
    FAIL();
  } catch (const DataError& refusal) {
    EXPECT_EQ(refusal.what(), path + " has 3 labels and x.npy has 4 rows; expected the same number");
  }
  EXPECT_EQ(data_error(path, [&] { labels.of(3); }), "3 labels, but the data has a row 4");
}

template <class S>
class LabelColumns : public Typed<S> {};
TYPED_TEST_SUITE(LabelColumns, Scalars);

TYPED_TEST(LabelColumns, AreTakenOutOfCsv) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const std::string rows = "1,rose,2\n3,lily,4\n5,rose,6\n";
  const RowMatrix<S> m = (RowMatrix<S>(3, 2) << 1, 2, 3, 4, 5, 6).finished();
  folder.file("named.csv", "x,species,y\n" + rows);
  folder.file("bare.csv", rows);
  for (const auto& [name, column] :
       {std::pair{"named.csv", "species"}, {"named.csv", "2"}, {"bare.csv", "2"}}) {
    SCOPED_TRACE(fmt::format("{} {}", name, column));
    const auto labelled = open_labelled<S>(folder / name, column);
    expect_labels(labelled.labels, {"lily", "rose"}, {1, 0, 1});
    EXPECT_EQ(read_all(*labelled.source).rows, m);
  }
}

// The classes of each file appear in another order.
TYPED_TEST(LabelColumns, OfAFolderAreThoseOfAllItsFiles) {
  using S = TypeParam;
  const TemporaryFolder folder;
  folder.file("1.csv", "x,c\n1,b\n2,a\n");
  folder.file("2.csv", "x,c\n3,c\n4,a\n5,b\n");
  const auto labelled = open_labelled<S>(folder.path(), "c");
  expect_labels(labelled.labels, {"a", "b", "c"}, {1, 0, 2, 0, 1});
  EXPECT_EQ(read_all(*labelled.source).rows, (RowMatrix<S>(5, 1) << 1, 2, 3, 4, 5).finished());
}

TYPED_TEST(LabelColumns, AreTakenOutOfOtherFormatsByNumber) {
  using S = TypeParam;
  const TemporaryFolder folder;
  const Matrix<double> m = whole_numbers(40, 5, 120, 3);
  const std::string npy = npy_file<std::int16_t>("i2", m, false, false);
  for (const Index column : {1, 3, 5}) {
    const auto labelled = open_labelled<S>(folder.file("m.npy", npy), fmt::to_string(column));
    Matrix<S> rest(40, 4);
    rest << m.leftCols(column - 1).cast<S>(), m.rightCols(5 - column).cast<S>();
    expect_rows<S>(*labelled.source, rest, 1);
    for (Index i = 0; i < 40; ++i)
      EXPECT_EQ(labelled.labels.names()[static_cast<std::size_t>(labelled.labels.of(i))],
                fmt::to_string(m(i, column - 1)));
  }
  std::filesystem::create_directory(folder / "parts");
  folder.file("parts/1.svm", "0 1:7 2:1\n0 3:2\n");  // counts from 0 because the other file does
  folder.file("parts/2.svm", "0 0:5 1:8\n");
  const auto labelled = open_labelled<S>(folder / "parts", "2");
  expect_labels(labelled.labels, {"0", "7", "8"}, {1, 0, 2});
  expect_rows<S>(*labelled.source, (Matrix<S>(3, 3) << 0, 1, 0, 0, 0, 2, 5, 0, 0).finished(), 1);
}

TEST(LabelColumns, SayWhatIsWrong) {
  const TemporaryFolder folder;
  const auto npy = folder.file("m.npy", npy_file<double>("f8", Matrix<double>::Zero(2, 3), false, false));
  const auto csv = folder.file("m.csv", "x,y\n1,a\n2,\n");
  const auto open = [](const std::filesystem::path& path, const std::string& column) {
    return [=] { open_labelled<double>(path, column); };
  };
  for (const std::string column : {"0", "4", "y", ""})
    EXPECT_EQ(usage_error(open(npy, column)),
              fmt::format("{}: no column '{}', expected a number from 1 to 3", npy.string(), column));
  EXPECT_EQ(usage_error(open(csv, "z")),
            csv.string() + ": no column 'z', expected a name in the header or a number from 1 to 2");
  EXPECT_EQ(data_error(csv, open(csv, "y")), "no label in row 2");
  const auto thin = folder.file("v.npy", npy_file<double>("f8", Matrix<double>::Zero(2, 1), false, false));
  EXPECT_EQ(data_error(thin, open(thin, "1")), "only the label column, expected at least one other column");
  EXPECT_EQ(data_error(npy, [&] { labels_of(*open_source<double>(npy)); }),
            "no labels, expected svmlight or a label column");
  const StandardInput input("1,b\n2,a\n");  // read once, to a temporary file
  expect_labels(open_labelled<double>("-", "2").labels, {"a", "b"}, {1, 0});
}

}  // namespace
}  // namespace landfall::test
