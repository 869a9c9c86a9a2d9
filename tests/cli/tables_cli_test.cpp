// Ordinary tables as users have them: one file with both views, text, dates, row indices, headers of years, pipes.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/linalg/random.hpp>

#include "data/read_all.hpp"
#include "summary.hpp"
#include "support.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace landfall::test {
namespace {

class TablesCommand : public ::testing::Test {
 protected:
  /// 200 rows of two views that share a signal; "table.csv" has both, "left.csv" and "right.csv" one each.
  TablesCommand() {
    rows_ = gaussian<double>(200, 7, {11});
    rows_.rightCols(4).col(1) += 2 * rows_.col(0);
    rows_.rightCols(4).col(3) -= rows_.col(2);
    write("table.csv", names_, rows_);
    write("left.csv", {"age", "bmi", "bp"}, rows_.leftCols(3));
    write("right.csv", {"s1", "s2", "s3", "s4"}, rows_.rightCols(4));
    write_npy<double>(folder_ / "table.npy", rows_);
  }

  void write(const std::string& name, const Words& names, const Matrix<double>& m) const {
    std::string text = names.empty() ? "" : fmt::format("{}\n", fmt::join(names, ","));
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j)
        text += fmt::format("{}{}", m(i, j), j + 1 < m.cols() ? "," : "\n");
    folder_.file(name, text);
  }
  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }
  Outcome cca(Words arguments) const {
    arguments.insert(arguments.begin(), "cca");
    arguments.insert(arguments.end(), {"-p", "2", "--precision", "double", "--threads", "1", "--json"});
    return landfall(arguments);
  }
  Json correlations(const Words& arguments) const {
    const Outcome run = cca(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out, nullptr, false)["correlations"];
  }
  /// In a shell, with the program as $0.
  Outcome shell(const std::string& command) const {
    return run_words(folder_.path(), {"bash", "-c", command, program_path()});
  }
  static std::string warnings(const Outcome& run) {
    std::string all;
    std::istringstream lines(run.err);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("landfall: warning: ")) all += line.substr(19) + "\n";
    return all;
  }

  TemporaryFolder folder_;
  Matrix<double> rows_;
  const Words names_ = {"age", "bmi", "bp", "s1", "s2", "s3", "s4"};
};

TEST_F(TablesCommand, BothViewsMayBeColumnsOfOneFile) {
  const Json known = correlations({"left.csv", "right.csv"});
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(correlations({"table.csv", "--left", "age,bmi,bp", "--right", "s1..s4"}), known);
  EXPECT_EQ(correlations({"table.csv", "--left", "1-3", "--right", "s*"}), known);
  EXPECT_EQ(correlations({"table.csv", "--right", "s?"}), known);
  EXPECT_EQ(correlations({"table.npy", "--left", "1..3", "--right", "4.."}), known);
  EXPECT_EQ(correlations({"table.csv", "table.csv", "--left", "1..3", "--right", "4..7"}), known);
  EXPECT_EQ(correlations({"table.csv", "right.csv", "--left", "..bp"}), known);
  const Outcome piped = shell("cat table.csv | \"$0\" cca - --left 1..3 --right s* -p 2 --json --threads 1");
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(Json::parse(piped.out, nullptr, false)["correlations"], known);
}

TEST_F(TablesCommand, WrongColumnsAreOneSentenceAndTwo) {
  const std::string see = " (see landfall cca --help)";
  expect_error(cca({"table.csv"}), 2,
               "RIGHT is required, or --left and --right with columns of one file" + see);
  expect_error(cca({"table.csv", "--left", "weight", "--right", "s*"}), 2,
               "table.csv: no column 'weight', expected a name in the header or a number from 1 to 7");
  expect_error(cca({"table.csv", "--left", "age..s1", "--right", "s*"}), 2,
               "table.csv: column 's1' is in both views, expected different columns in --left and --right");
  expect_error(cca({"table.csv", "--left", "x*", "--right", "s*"}), 2, "table.csv: no column fits 'x*'");
  expect_error(cca({"left.csv", "right.csv", "--columns", ","}), 2,
               "--columns ',': no column, expected names or numbers");
  expect_error(cca({"left.csv", "right.csv", "--header", "maybe"}), 2,
               "--header: 'maybe' is not yes, no or auto" + see);
  expect_error(cca({"left.csv", "right.csv", "--out", ""}), 2, "--out: '' is not the name of a folder" + see);
}

TEST_F(TablesCommand, ColumnsAreChosenForEveryModel) {
  const Outcome ica = landfall({"ica", "table.csv", "--columns", "s*", "--exclude", "s2", "--json"});
  ASSERT_EQ(ica.code, 0) << ica.err;
  const Json summary = Json::parse(ica.out, nullptr, false);
  EXPECT_EQ(summary["features"], 3);
  EXPECT_EQ(summary["columns"], (Words{"s1", "s3", "s4"}));
  EXPECT_EQ(Json::parse(landfall({"ica", "table.csv", "--label-column", "age", "--json"}).out)["features"],
            6);
  std::string classes;
  for (int i = 0; i < 200; ++i) classes += i % 2 == 0 ? "a\n" : "b\n";
  folder_.file("classes.txt", classes);
  const Outcome lda =
      landfall({"lda", "table.npy", "--labels", "classes.txt", "--columns", "1..5", "--json"});
  ASSERT_EQ(lda.code, 0) << lda.err;
  EXPECT_EQ(Json::parse(lda.out)["features"], 5);
  EXPECT_EQ(Json::parse(lda.out)["columns"], nullptr);
}

TEST_F(TablesCommand, WarningsAreOnStandardErrorAndInTheSummary) {
  std::string text = ",name,x,y,day\n";
  for (int i = 0; i < 200; ++i)
    text += fmt::format("{},{},{},{},2020-01-{:02}\n", i, i % 2 == 0 ? "ann" : "bob", rows_(i, 0),
                        rows_(i, 4), 1 + i % 28);
  folder_.file("people.csv", text);
  const Outcome run = landfall({"ica", "people.csv", "--json", "--seed", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string expected =
      "people.csv: a column of text is left out: 'name' ('ann' in row 1); --categorical one-hot makes "
      "indicator columns "
      "of text\n"
      "people.csv: a column of dates is left out: 'day' ('2020-01-01' in row 1)\n"
      "people.csv: the first column (without a name) counts the rows: 0, 1, 2, ...; --index-column 1 leaves "
      "it out\n";
  EXPECT_EQ(warnings(run).substr(0, expected.size()), expected);
  const Json summary = Json::parse(run.out);
  EXPECT_EQ(summary["columns"], (Words{"", "x", "y"}));
  EXPECT_GE(summary["warnings"].size(), 3U);
  const Outcome quiet = landfall(
      {"ica", "people.csv", "--json", "--index-column", "1", "--exclude", "name,day", "--seed", "1"});
  EXPECT_EQ(warnings(quiet).find("people.csv"), std::string::npos);
  const Outcome hot = landfall({"lda", "people.csv", "--json", "--index-column", "1", "--categorical",
                                "one-hot", "--label-column", "name"});
  EXPECT_EQ(Json::parse(hot.out)["columns"], (Words{"x", "y"})) << hot.err;
}

TEST_F(TablesCommand, MissingValuesAndUnreadableFieldsSayWhatHelps) {
  std::string text = content(folder_ / "left.csv");
  const auto third = text.find('\n', text.find('\n', text.find('\n') + 1) + 1) + 1;
  const std::string start = text.substr(0, third), rest = text.substr(text.find('\n', third));
  folder_.file("holes.csv", start + "1,NA,2" + rest);
  expect_error(
      cca({"holes.csv", "right.csv"}), 3,
      "holes.csv: row 3, column 2 (bmi) is NaN; every entry must be finite (or --missing drop, or --missing "
      "mean)");
  const Outcome dropped = landfall({"cca", "holes.csv", "right.csv", "-p", "2", "--missing", "drop"});
  EXPECT_EQ(dropped.code, 0);
  EXPECT_TRUE(dropped.err.starts_with("1 row with missing values dropped\n")) << dropped.err;
  EXPECT_EQ(Json::parse(cca({"holes.csv", "right.csv", "--missing", "drop"}).out)["dropped_rows"], 1);
  folder_.file("odd.csv", start + "1,-999,2" + rest);
  EXPECT_EQ(Json::parse(cca({"odd.csv", "right.csv", "--missing", "drop", "--na", "-999,x"}).out)["samples"],
            199);
  folder_.file("word.csv", start + "1,oops,2" + rest);
  expect_error(
      cca({"word.csv", "right.csv"}), 3,
      "word.csv: line 4, column 2 (bmi): 'oops' is not a number (--na 'oops' reads it as a missing value)");
}

TEST_F(TablesCommand, LabelsThatAreNotAsManyAsTheRowsAreAnError) {
  folder_.file("labels.txt", "a\nb\na\n");
  const std::string sentence = "labels.txt has 3 labels and left.csv has 200 rows; expected the same number";
  for (const Words& more : {Words{}, Words{"--out", "run"}, Words{"--missing", "drop"}}) {
    Words words{"left.csv", "right.csv", "--labels", "labels.txt"};
    words.insert(words.end(), more.begin(), more.end());
    expect_error(cca(words), 3, sentence);
  }
}

TEST_F(TablesCommand, EuropeanTablesAndOtherText) {
  std::string text;
  for (Index i = 0; i < 200; ++i) {
    std::string line = fmt::format("{};{}\n", rows_(i, 0), rows_(i, 4));
    std::replace(line.begin(), line.end(), '.', ',');
    text += line;
  }
  folder_.file("comma.txt", text);
  write("point.csv", {}, (Matrix<double>(200, 2) << rows_.col(0), rows_.col(4)).finished());
  const auto negentropy = [&](const Words& arguments) {
    Words words{"ica", "--json", "--threads", "1"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome run = landfall(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out, nullptr, false)["negentropy"];
  };
  const Json known = negentropy({"point.csv"});
  EXPECT_EQ(negentropy({"comma.txt", "--decimal", ",", "--delimiter", ";"}), known);
  EXPECT_EQ(negentropy({"comma.txt", "--decimal", ","}), known);
  expect_error(landfall({"ica", "comma.txt"}), 3,
               fmt::format("comma.txt: column 1 has decimal commas ('{}' in row 1); --decimal , reads them",
                           text.substr(0, text.find(';'))));
  std::filesystem::copy_file(folder_ / "point.csv", folder_ / "nameless");
  EXPECT_EQ(negentropy({"nameless", "--format", "csv"}), known);
  std::string years = content(folder_ / "point.csv");
  folder_.file("years.csv", "2019,2020\n" + years);
  const Outcome run = landfall({"ica", "years.csv", "--json", "--threads", "1"});
  EXPECT_EQ(Json::parse(run.out)["negentropy"], known);
  const std::string said =
      "years.csv: the first line (2019, 2020, ...) is taken as a header; --header no reads it as numbers\n";
  EXPECT_EQ(warnings(run).substr(0, said.size()), said);
}

TEST_F(TablesCommand, PipesAndStandardInputTakeEveryMethod) {
  const Json known = correlations({"left.csv", "right.csv"});
  const std::string options = " -p 2 --precision double --json --threads 1";
  for (const std::string command : {"\"$0\" cca <(cat left.csv) <(gzip -c right.csv)",
                                    "cat left.csv | \"$0\" cca - right.csv --method exact"}) {
    const Outcome run = shell(command + options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(Json::parse(run.out, nullptr, false)["correlations"], known);
  }
  const Outcome landing =
      shell("cat left.csv | \"$0\" cca - right.csv --method landing --passes 2 --out run" + options);
  EXPECT_EQ(landing.code, 0) << landing.err;
  EXPECT_GT(Json::parse(landing.out, nullptr, false)["passes"], 1.5);
  // Nothing is left in TMPDIR, even after an error.
  std::filesystem::create_directory(folder_ / "tmp");
  EXPECT_EQ(shell("cat left.csv | TMPDIR=tmp \"$0\" cca - none.csv" + options).code, 3);
  EXPECT_EQ(shell("head -c 3000 left.csv | TMPDIR=tmp \"$0\" cca - right.csv" + options).code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
}

TEST_F(TablesCommand, NewDataIsMatchedByName) {
  ASSERT_EQ(cca({"left.csv", "right.csv", "--out", "run"}).code, 0);
  const auto scores = [&](const Words& data) {
    Words words{"transform", "run", "-o", "-", "--quiet"};
    words.insert(words.end(), data.begin(), data.end());
    const Outcome run = landfall(words);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return run.out;
  };
  const std::string known = scores({"left.csv", "right.csv"});
  EXPECT_TRUE(known.starts_with("left1,left2,right1,right2\n")) << known.substr(0, 100);
  EXPECT_EQ(std::count(known.begin(), known.end(), '\n'), 201);
  EXPECT_EQ(scores({"table.csv"}), known);
  EXPECT_EQ(scores({"table.csv", "table.csv"}), known);
  const Outcome piped = shell("cat table.csv | \"$0\" transform run - -o - --quiet");
  EXPECT_EQ(piped.out, known) << piped.err;
  // Another order, and columns that the run does not know.
  std::string text = "bp,note,bmi,age\n";
  for (Index i = 0; i < 200; ++i)
    text += fmt::format("{},hello,{},{}\n", rows_(i, 2), rows_(i, 1), rows_(i, 0));
  folder_.file("other.csv", text);
  EXPECT_EQ(scores({"other.csv", "right.csv"}), known);

  const auto refused = [&](const Words& data, const std::string& sentence) {
    Words words{"transform", "run", "-o", "no.csv"};
    words.insert(words.end(), data.begin(), data.end());
    expect_error(landfall(words), 3, sentence);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "no.csv"));
  };
  refused({"right.csv", "left.csv"},
          "right.csv: has the columns of the right view, expected those of the left view; swap the files");
  write("few.csv", {"bmi"}, rows_.col(1));
  refused({"few.csv", "right.csv"}, "few.csv: no column 'age', 'bp', which run was fitted on");
  folder_.file("text.csv", "age,bmi,bp\n1,low,3\n2,high,3\n");
  refused({"text.csv", "--view", "left"},
          "text.csv: column 'bmi' does not hold numbers as in the data of run");
  // Without names it is the number of columns that counts.
  write("bare.csv", {}, rows_.leftCols(3));
  write("bare_right.csv", {}, rows_.rightCols(4));
  EXPECT_EQ(scores({"bare.csv", "bare_right.csv"}), known);
  write("more.csv", {}, rows_.leftCols(4));
  refused({"more.csv", "--view", "left"}, "more.csv: 4 columns, expected the 3 that run was fitted on");
  EXPECT_EQ(scores({"more.csv", "--view", "left", "--columns", "1..3"}),
            scores({"left.csv", "--view", "left"}));
}

TEST_F(TablesCommand, CategoriesOfNewDataAreThoseOfTheFit) {
  std::string text = "x,y,sex\n";
  for (Index i = 0; i < 200; ++i)
    text += fmt::format("{},{},{}\n", rows_(i, 0), rows_(i, 4), i % 3 == 0 ? "f" : i % 3 == 1 ? "m" : "x");
  folder_.file("sex.csv", text);
  const Outcome fit =
      landfall({"cca", "sex.csv", "--left", "x,sex", "--right", "y", "-p", "1", "--categorical", "one-hot",
                "--relative-ridge", "0.01", "--out", "hot", "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Json columns = Json::parse(fit.out)["columns"];
  EXPECT_EQ(columns[0], (Words{"x", "sex=f", "sex=m", "sex=x"}));
  const Outcome all = landfall({"transform", "hot", "sex.csv", "-o", "all.npy", "--quiet"});
  ASSERT_EQ(all.code, 0) << all.err;
  // Rows of one value only: the other columns are zeros.
  std::string one = "sex,y,x\n";
  for (Index i = 1; i < 200; i += 3) one += fmt::format("m,{},{}\n", rows_(i, 4), rows_(i, 0));
  folder_.file("one.csv", one);
  ASSERT_EQ(landfall({"transform", "hot", "one.csv", "-o", "one.npy", "--quiet"}).code, 0);
  const Matrix<double> whole = read_npy<double>(folder_ / "all.npy"),
                       part = read_npy<double>(folder_ / "one.npy");
  EXPECT_NEAR(part(1, 0), whole(4, 0), 1e-5);
  folder_.file("new.csv", "sex,y,x\nq,1,2\nq,2,1\n");
  expect_error(landfall({"transform", "hot", "new.csv", "-o", "no.npy"}), 3,
               "new.csv: line 2, 'sex': 'q' is none of the values of the fit: f, m, x");
}

TEST_F(TablesCommand, OtherFormatsAreNamedWithAConversion) {
  const auto refused = [&](const std::string& name, const std::string& bytes, const std::string& format,
                           const std::string& code) {
    folder_.file(name, bytes);
    expect_error(landfall({"data", "info", name}), 3,
                 fmt::format("{}: {} file, which is not supported; convert it: python3 -c \"import pandas; "
                             "{}.to_csv('{}.csv', index=False)\"",
                             name, format, code, name.substr(0, name.find('.'))));
  };
  refused("a.parquet", "PAR1", "a Parquet", "pandas.read_parquet('a.parquet')");
  refused("b", "PAR1....", "a Parquet", "pandas.read_parquet('b')");
  refused("c.feather", "ARROW1", "a Feather", "pandas.read_feather('c.feather')");
  refused("d.arrow", "ARROW1", "an Arrow", "pandas.read_feather('d.arrow')");
  refused("e.pkl", "\x80\x04", "a pickle", "pandas.DataFrame(pandas.read_pickle('e.pkl'))");
  refused("f.json", "[1,2]", "a JSON", "pandas.read_json('f.json')");
  refused("g.xlsx", "PK\3\4", "an Excel", "pandas.read_excel('g.xlsx')");
  refused("h.mat", "MATLAB 5.0 MAT-file", "a MATLAB",
          "pandas.DataFrame(__import__('scipy.io').io.loadmat('h.mat')['NAME'])");
}

TEST_F(TablesCommand, InfoDescribesWhatCannotBeFittedYet) {
  folder_.file("t.csv", "id,name,day,c,x\n0,bob,2020-01-02,5,1\n1,al,2020-01-03,5,oops\n2,,2020-01-04,5,3\n");
  const Outcome run = landfall({"data", "info", "t.csv"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out.substr(run.out.find("missing values")),
            "missing values  1 (1 NaN, 0 infinite)\n"
            "names           id, name, day, c, x\n"
            "text            name ('bob' in row 1)\n"
            "dates           day ('2020-01-02' in row 1)\n"
            "not numbers     x (1 field, 'oops' in row 2)\n"
            "missing in      name (1)\n"
            "constant        c\n"
            "row index       id\n");
  const Json json = Json::parse(landfall({"data", "info", "t.csv", "--json"}).out)[0];
  EXPECT_EQ(json["column_details"][1]["kind"], "text");
  EXPECT_EQ(json["column_details"][3]["constant"], true);
  EXPECT_EQ(json["rows"], 3);
  folder_.file("words.csv", "a,b\nx,y\nz,u\n");
  EXPECT_EQ(landfall({"data", "info", "words.csv"}).code, 0);
}

TEST_F(TablesCommand, HelpIsACommandToo) {
  EXPECT_EQ(landfall({"help", "cca"}).out, landfall({"cca", "--help"}).out);
  EXPECT_EQ(landfall({"help", "data", "info"}).out, landfall({"data", "info", "--help"}).out);
  EXPECT_EQ(landfall({"help"}).out, landfall({"--help"}).out);
  expect_error(landfall({"help", "cac"}), 2, "unknown command 'cac'; did you mean cca?");
  expect_help(landfall({"help", "--help"}));
  for (const std::string option :
       {"--columns", "--exclude", "--left", "--right", "--index-column", "--header", "--delimiter",
        "--decimal", "--na", "--categorical", "--format"}) {
    EXPECT_NE(landfall({"cca", "--help-all"}).out.find("  " + option + " "), std::string::npos) << option;
    EXPECT_NE(landfall({"completion", "bash"}).out.find("'landfall cca:" + option + "'"), std::string::npos)
        << option;
  }
}

}  // namespace
}  // namespace landfall::test
