#include <landfall/data/formats/svmlight_source.hpp>

#include <data/read_all.hpp>
#include <data/standard_input.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

class Svmlight : public ::testing::Test {
 protected:
  RowMatrix<double> read(const std::string& text, const SvmlightOptions& options = {}) const {
    SvmlightSource<double> source(folder_.file("t.svm", text), options);
    return read_all(source).rows;
  }
  std::string error(const std::string& text, const SvmlightOptions& options = {}) const {
    return data_error(folder_ / "t.svm", [&] { read(text, options); });
  }

  TemporaryFolder folder_;
};

TEST_F(Svmlight, ReadsLabelsQueriesEntriesAndSkipsComments) {
  const std::string text = "# made by hand\n+1 qid:3 1:0.5 4:2 # a comment 9:9\r\n\n-1\n2.5 2:-1e3\t3:+7 \n";
  SvmlightSource<double> source(folder_.file("t.svm", text));
  EXPECT_EQ(source.rows(), 3);
  EXPECT_EQ(source.cols(), 4);
  Batch<double> batch;
  EXPECT_EQ(source.read(2, batch), 2);
  EXPECT_EQ(std::vector<Index>(source.qids().begin(), source.qids().end()), (std::vector<Index>{3, -1}));
  EXPECT_EQ(source.read(2, batch), 1);
  EXPECT_TRUE(source.qids().empty());
  source.rewind();
  const auto all = read_all(source);
  EXPECT_EQ(all.rows, (RowMatrix<double>(3, 4) << 0.5, 0, 0, 2, 0, 0, 0, 0, 0, -1e3, 7, 0).finished());
  EXPECT_EQ(all.labels, (std::vector<double>{1, -1, 2.5}));
}

TEST_F(Svmlight, IndicesMayCountFromZero) {
  const RowMatrix<double> expected = (RowMatrix<double>(2, 3) << 0, 5, 0, 6, 0, 7).finished();
  EXPECT_EQ(read("1 1:5\n1 0:6 2:7\n"), expected);
  EXPECT_EQ(read("1 2:5\n1 1:6 3:7\n"), expected);
  EXPECT_EQ(read("1 1:5\n1 2:7\n", {.first_index = 0}),
            (RowMatrix<double>(2, 3) << 0, 5, 0, 0, 0, 7).finished());
  EXPECT_EQ(read("1 1:5\n", {.cols = 3}), (RowMatrix<double>(1, 3) << 5, 0, 0).finished());
  EXPECT_EQ(read("1 0:5\n", {.cols = 3}), (RowMatrix<double>(1, 3) << 5, 0, 0).finished());
}

TEST_F(Svmlight, BadLinesAreNamed) {
  EXPECT_EQ(error("1 1:1\nx 2:1\n"), "line 2: label 'x' is not a number");
  EXPECT_EQ(error("1 1:1\n1 qid:a 2:1\n"), "line 2: 'qid:a', expected 'qid:' and a number from 0");
  EXPECT_EQ(error("1 1:1 3:1 2:1 4:1\n"), "line 1, entry 3: index 2 after 3, expected ascending indices");
  EXPECT_EQ(error("1 1:1\n1 3:1 2:1\n"),
            "line 2, entry 1: index 3 before a smaller one, expected ascending indices");
  EXPECT_EQ(error("1 1:1 3:1 3:1\n"), "line 1, entry 3: index 3 twice");
  EXPECT_EQ(error("1 1:1\n1 1:1 8:1\n", {.cols = 7}), "line 2, entry 2: index 8, expected 1 to 7");
  EXPECT_EQ(error("1 0:1\n", {.cols = 7, .first_index = 1}), "line 1, entry 1: index 0, expected 1 to 7");
  EXPECT_EQ(error("1 1:1 2:abc\n"), "line 1, entry 2: 'abc' is not a number");
  EXPECT_EQ(error("1 1:1 2:\n"), "line 1, entry 2: '' is not a number");
  EXPECT_EQ(error("1 1:1 abc 4:1\n"), "line 1, entry 2: 'abc', expected 'index:value'");
  EXPECT_EQ(error("1 1:1 -2:1\n"), "line 1, entry 2: '-2:1', expected 'index:value'");
  EXPECT_EQ(error("1 1:1 99999999999999999999:1\n"),
            "line 1, entry 2: index 99999999999999999999, expected 0 to 2147483646");
  EXPECT_EQ(error(""), "empty, expected lines 'label index:value ...'");
  EXPECT_EQ(error("# nothing\n", {.cols = 2, .first_index = 1}),
            "empty, expected lines 'label index:value ...'");
  EXPECT_EQ(error("1\n2\n"), "no entry in any row, expected the number of columns");
}

TEST_F(Svmlight, StandardInputNeedsTheNumberOfColumns) {
  EXPECT_EQ(usage_error([] { SvmlightSource<float>("-"); }),
            "standard input: the number of columns must be given");
  const StandardInput input("1 1:5\n2 3:7\n");
  SvmlightSource<float> source("-", {.cols = 3});
  const auto all = read_all(source);
  EXPECT_EQ(all.rows, (RowMatrix<float>(2, 3) << 5, 0, 0, 0, 0, 7).finished());
  EXPECT_EQ(all.labels, (std::vector<double>{1, 2}));
}

TEST_F(Svmlight, OptionsAndWritersRefuseNonsense) {
  const auto path = folder_.file("t.svm", "1 1:1\n");
  EXPECT_EQ(usage_error([&] { SvmlightSource<float>(path, {.first_index = 2}); }),
            path.string() + ": first index 2, expected 0 or 1");
  EXPECT_EQ(usage_error([&] { SvmlightSource<float>(path, {.cols = 0}); }),
            path.string() + ": 0 columns, expected 1 to 2147483647");
  Eigen::SparseMatrix<double, Eigen::RowMajor> m(2, 2);
  EXPECT_EQ(usage_error([&] { write_svmlight<double>(folder_ / "w.svm", m, std::vector<double>{1}); }),
            "1 labels and 0 query numbers for 2 rows, expected one each or none");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"t.svm"});
}

}  // namespace
}  // namespace landfall::test
