// Ordinary tables: headers of numbers, row indices, text and dates, marks of missing values, decimal commas.
#include <landfall/data/formats/csv_source.hpp>
#include <landfall/data/formats/describe.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <data/read_all.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

using Texts = std::vector<std::string>;

struct ReadTable {
  RowMatrix<double> rows;
  Texts names, warnings;
};

class Tables : public ::testing::Test {
 protected:
  ReadTable read(const std::string& text, const TableOptions& options = {},
                 const std::string& name = "t.csv") const {
    const auto source = open_source<double>(folder_.file(name, text), options);
    ReadTable table{read_all(*source).rows, source->column_names(), {}};
    source->rewind();
    EXPECT_TRUE(same_bits(read_all(*source, 1).rows, table.rows));
    const std::string start = (folder_ / name).string() + ": ";
    for (const auto& warning : source->warnings()) {
      EXPECT_TRUE(warning.starts_with(start)) << warning;
      table.warnings.push_back(warning.substr(start.size()));
    }
    return table;
  }
  std::string error(const std::string& text, const TableOptions& options = {},
                    const std::string& name = "t.csv") const {
    return data_error(folder_ / name, [&] { read(text, options, name); });
  }

  TemporaryFolder folder_;
};

RowMatrix<double> matrix(Index rows, Index cols, std::initializer_list<double> values) {
  return Eigen::Map<const RowMatrix<double>>(values.begin(), rows, cols);
}

TEST_F(Tables, HeadersOfNumbersAreFoundAndSaid) {
  const auto years = read("2019,2020,2021\n0.5,1.5,2\n3,4.25,5\n0.1,0.2,0.3\n");
  EXPECT_EQ(years.names, (Texts{"2019", "2020", "2021"}));
  EXPECT_EQ(years.rows.rows(), 3);
  EXPECT_EQ(years.warnings,
            Texts{"the first line (2019, 2020, ...) is taken as a header; --header no reads it as "
                  "numbers"});
  const auto counted = read("0,1,2,3\n0.5,1.5,2,7\n3,4.25,5,1.5\n0.1,0.2,0.3,0.4\n");
  EXPECT_EQ(counted.names, (Texts{"0", "1", "2", "3"}));
  EXPECT_EQ(read("2019,2020\n17,25\n30,41\n12,9\n").names, (Texts{"2019", "2020"}));
  EXPECT_EQ(read("2019,2020,2021\n0.5,1.5,2\n3,4.25,5\n", {.header = CsvHeader::absent}).rows.rows(), 3);
}

TEST_F(Tables, NumbersInTheFirstLineAreMostlyNumbers) {
  for (const std::string text :
       {"1,2\n3,4\n5,6\n", "1,2,3\n2,3,4\n4,5,6\n", "3,5\n7,2\n9,1\n", "1.5,2.5\n3,4\n5,6\n",
        "1,2\n4,3\n6,5\n", "0,1\n1,0\n0,1\n", "7\n8\n9\n", "2019,2020\n2021,2024\n2022,2023\n"}) {
    const auto table = read(text);
    EXPECT_EQ(table.rows.rows(), 3) << text;
    EXPECT_EQ(table.warnings, Texts{}) << text;
  }
}

TEST_F(Tables, TextColumnsAreLeftOutAndNamed) {
  const auto table = read("name,x,day,y\nbob,1,2020-01-02,2\nal,3,2020-01-03,4\n");
  EXPECT_EQ(table.rows, matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_EQ(table.names, (Texts{"x", "y"}));
  EXPECT_EQ(
      table.warnings,
      (Texts{"a column of text is left out: 'name' ('bob' in row 1); --categorical one-hot makes indicator "
             "columns of text",
             "a column of dates is left out: 'day' ('2020-01-02' in row 1)"}));
  // Without a header the first line is a row like the others.
  const auto bare = read("bob,1,x\nal,3,y\neve,,z\n");
  EXPECT_EQ(bare.rows.rows(), 3);
  EXPECT_EQ(bare.names, Texts{});
  EXPECT_EQ(bare.warnings,
            Texts{"columns of text are left out: column 1 ('bob' in row 1), column 3 ('x' in row 1); "
                  "--categorical one-hot makes indicator columns of text"});
  // What is not asked for is not said.
  EXPECT_EQ(read("name,x\nbob,1\nal,3\n", {.columns = {"x"}}).warnings, Texts{});
  EXPECT_EQ(read("name,x\nbob,1\nal,3\n", {.exclude = {"name"}}).warnings, Texts{});
  EXPECT_EQ(error("name,city\nbob,Rome\nal,Oslo\n"),
            "no column of numbers: 'name' holds text ('bob' in row 1)");
  for (const std::string date :
       {"2020-01-02", "2020/1/2", "02.01.2020", "1/2/20", "2020-01-02T10:00:00", "12:30"})
    EXPECT_EQ(read("d,x\n" + date + ",1\n" + date + ",2\n").warnings,
              Texts{"a column of dates is left out: 'd' ('" + date + "' in row 1)"});
}

TEST_F(Tables, OneUnreadableFieldIsAnError) {
  EXPECT_EQ(error("a,b\n1,2\n3,4\n5,oops\n7,8\n"),
            "line 4, column 2 (b): 'oops' is not a number (--na 'oops' reads it as a missing value)");
  EXPECT_TRUE(std::isnan(read("a,b\n1,2\n3,4\n5,oops\n", {.missing = {"oops"}}).rows(2, 1)));
}

TEST_F(Tables, CategoriesBecomeIndicators) {
  const TableOptions options{.text = TextColumns::one_hot};
  const auto table = read("sex,x,city\nf,1,Rome\nm,2,Oslo\nf,3,Rome\n", options);
  EXPECT_EQ(table.names, (Texts{"sex=f", "sex=m", "x", "city=Oslo", "city=Rome"}));
  EXPECT_EQ(table.rows, matrix(3, 5, {1, 0, 1, 0, 1, 0, 1, 2, 1, 0, 1, 0, 3, 0, 1}));
  EXPECT_EQ(table.warnings, Texts{});
  const auto missing = read("sex,x\nf,1\nNA,2\nm,3\n", options);
  EXPECT_TRUE(missing.rows.row(1).head(2).array().isNaN().all());
  EXPECT_EQ(missing.rows(1, 2), 2);
  // As a fit had them; a value that it did not have is an error.
  const TableOptions fitted{.text = TextColumns::one_hot, .categories = {"sex=m", "sex=f", "sex=x"}};
  EXPECT_EQ(read("sex,x\nf,1\nm,2\n", fitted).rows, matrix(2, 4, {0, 1, 0, 1, 1, 0, 0, 2}));
  EXPECT_EQ(error("sex,x\nf,1\nq,2\n", fitted),
            "line 3, 'sex': 'q' is none of the values of the fit: m, f, x");
  std::string many = "id,x\n";
  for (int i = 0; i < 1001; ++i) many += fmt::format("r{},{}\n", i, i);
  EXPECT_EQ(error(many, options),
            "'id' has more than 1000 different values, expected categories; --exclude leaves it out");
}

TEST_F(Tables, RowIndicesAreSaid) {
  const auto index = [&](const std::string& header, double first) {
    std::string text = header + ",x,y\n";
    for (int i = 0; i < 5; ++i) text += fmt::format("{},{},{}\n", first + i, 0.5 * i, 3 - i);
    return read(text).warnings;
  };
  EXPECT_EQ(index("", 0),
            Texts{"the first column (without a name) counts the rows: 0, 1, 2, ...; --index-column 1 "
                  "leaves it out"});
  EXPECT_EQ(index("Unnamed: 0", 0), Texts{"the first column (Unnamed: 0) counts the rows: 0, 1, 2, ...; "
                                          "--index-column 1 leaves it out"});
  EXPECT_EQ(index("ID", 1).size(), 1U);
  EXPECT_EQ(index("rownames", 1).size(), 1U);
  EXPECT_EQ(index("index", 1).size(), 1U);
  EXPECT_EQ(index("year", 1), Texts{});
  EXPECT_EQ(index("id", 7), Texts{});
  const std::string text = ",x,y\n0,5,1\n1,7,2\n2,6,2\n";
  const auto without = read(text, {.index = "1"});
  EXPECT_EQ(without.warnings, Texts{});
  EXPECT_EQ(without.names, (Texts{"x", "y"}));
  EXPECT_EQ(without.rows, matrix(3, 2, {5, 1, 7, 2, 6, 2}));
  // R's write.table has no name for its row names.
  const auto r = read("\"x\",\"y\"\n\"1\",5,1\n\"2\",7,2\n\"3\",6,2\n");
  EXPECT_EQ(r.names, (Texts{"", "x", "y"}));
  EXPECT_EQ(r.warnings.size(), 1U);
  EXPECT_EQ(read("\"x\" \"y\"\n\"1\" 5 1\n\"2\" 7 2\n\"3\" 6 2\n", {}, "t.txt").rows, r.rows);
}

TEST_F(Tables, MarksOfMissingValuesAreKnown) {
  const auto usual = read("a,b\n1,NA\n2,N/A\n3,NaN\n4,nan\n5,null\n6,NULL\n7,None\n8,\n9,?\n10,.\n11,5\n");
  EXPECT_TRUE(usual.rows.col(1).head(10).array().isNaN().all());
  EXPECT_EQ(usual.rows(10, 1), 5);
  const auto given = read("a,b\n1,-999\n2,-999.0\n-,5\n4,-99.9\n", {.missing = {"-999", "-", "-99.9"}});
  EXPECT_TRUE(std::isnan(given.rows(0, 1)) && std::isnan(given.rows(1, 1)) && std::isnan(given.rows(3, 1)));
  EXPECT_TRUE(std::isnan(given.rows(2, 0)));
  EXPECT_EQ(given.rows(2, 1), 5);
}

TEST_F(Tables, DecimalCommas) {
  EXPECT_EQ(read("a;b\n1,5;-2\n0,25;3e1\n", {.decimal = ','}).rows, matrix(2, 2, {1.5, -2, 0.25, 30}));
  EXPECT_EQ(error("a;b\n1,5;2\n2,5;3\n"), "'a' has decimal commas ('1,5' in row 1); --decimal , reads them");
  EXPECT_EQ(usage_error([&] { read("1,2\n", {.separator = ',', .decimal = ','}); }),
            "',' separates both fields and decimals, expected different characters");
}

TEST_F(Tables, TextFilesAreSeparatedByAnything) {
  const RowMatrix<double> expected = matrix(2, 3, {1, 2.5, 3, 4, 5, -6});
  for (const std::string text :
       {"1 2.5 3\n4 5 -6\n", "  1   2.5 3  \n\n4\t5  -6\n", "1\t2.5\t3\n4\t5\t-6\n", "1,2.5,3\n4,5,-6\n",
        "1;2.5;3\n4;5;-6\n", "# x y z\n1 2.5 3\n# more\n4 5 -6\n"})
    for (const std::string name : {"t.txt", "t.dat"}) EXPECT_EQ(read(text, {}, name).rows, expected) << text;
  EXPECT_EQ(read("x y z\n1 2.5 3\n4 5 -6\n", {}, "t.txt").names, (Texts{"x", "y", "z"}));
  EXPECT_EQ(read("1 2.5 3\n4 5 -6\n", {.separator = ' '}).rows, expected);
  EXPECT_EQ(open_source<double>(folder_.file("s.txt", "1 1:2 3:4\n-1 2:1\n"))->format(), "svmlight");
  EXPECT_EQ(read("1|2.5|3\n4|5|-6\n", {.separator = '|'}).rows, expected);
  EXPECT_EQ(error("1 2\n3\n", {.separator = ' '}, "t.txt"), "line 2: 1 fields, expected 2");
}

TEST_F(Tables, TheFormatCanBeGiven) {
  EXPECT_EQ(read("1\t2\n3\t4\n", {.format = "tsv"}, "noending").rows, matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_EQ(read("1,2\n3,4\n", {.format = "csv"}, "t.npy").rows, matrix(2, 2, {1, 2, 3, 4}));
  EXPECT_EQ(error("1,2\n", {.format = "npy"}), "truncated: expected 10 bytes, found 4");
  EXPECT_EQ(
      usage_error([&] { read("1,2\n", {.format = "xml"}); }),
      "unknown format 'xml', expected one of npy, csv, tsv, svmlight, matrix-market, hdf5, npz, text, idx");
}

TEST_F(Tables, AreDescribedWhateverTheyHold) {
  const TableOptions options{.text = TextColumns::as_missing};
  CsvSource<double> source(
      folder_.file("t.csv",
                   "id,name,day,c,x,e\n0,bob,2020-01-02,5,1,\n1,al,2020-01-03,5,oops,NA\n"
                   "2,,2020-01-04,5,3,\n"),
      options);
  const auto columns = describe_columns(source, options);
  ASSERT_EQ(columns.size(), 6U);
  EXPECT_TRUE(columns[0].counts_rows);
  EXPECT_EQ(columns[1].kind, ColumnKind::text);
  EXPECT_EQ(columns[1].missing, 1);
  EXPECT_EQ(columns[1].example, "bob");
  EXPECT_EQ(columns[2].kind, ColumnKind::dates);
  EXPECT_TRUE(columns[3].constant);
  EXPECT_EQ(columns[4].unreadable, 1);
  EXPECT_EQ(columns[4].example_row, 2);
  EXPECT_EQ(columns[4].largest, 3);
  EXPECT_EQ(columns[5].kind, ColumnKind::empty);
  EXPECT_TRUE(std::isnan(read_all(source).rows(1, 4)));
}

}  // namespace
}  // namespace landfall::test
