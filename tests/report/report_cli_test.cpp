// Reports as a user gets them: written with the run, and again by landfall report.
#include "cli/summary.hpp"
#include <gtest/gtest.h>

namespace landfall::test {
namespace {

class Report : public ::testing::Test {
 protected:
  Report() {
    EXPECT_EQ(landfall({"data", "planted-cca", "d", "-N", "2500", "--left", "6", "--right", "6",
                        "--correlations", "0.9,0.5"})
                  .code,
              0);
    EXPECT_EQ(landfall({"data", "pencil", "p", "-n", "20"}).code, 0);
  }
  Outcome landfall(const Words& arguments) { return run_program(folder_.path(), arguments); }
  Outcome cca(Words more) {
    more.insert(more.begin(), {"cca", "d/left.npy", "d/right.npy", "-p", "2"});
    return landfall(more);
  }
  /// The data of a page.
  Json data(const std::string& run) {
    const std::string page = content(folder_ / (run + "/report.html")), begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    return Json::parse(page.substr(at, page.find("</script>", at) - at), nullptr, false);
  }

  TemporaryFolder folder_;
};

Words headings(const Json& page) {
  Words list;
  for (const auto& section : page["sections"]) list.push_back(section["heading"]);
  return list;
}

/// The one with this heading.
Json section(const Json& page, const std::string& heading) {
  for (const auto& one : page["sections"])
    if (one["heading"] == heading) return one;
  ADD_FAILURE() << "no section " << heading;
  return {};
}

TEST_F(Report, IsWrittenWithTheRunAndAgain) {
  ASSERT_EQ(cca({"--out", "a run", "--held-out", "0.2", "--quiet"}).code, 0);
  const std::string first = content(folder_ / "a run/report.html");
  std::filesystem::remove(folder_ / "a run/report.html");
  const auto again = landfall({"report", "a run"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "a run/report.html\n");
  EXPECT_EQ(content(folder_ / "a run/report.html"), first);

  const Json page = data("a run");
  EXPECT_EQ(headings(page), (Words{"Result", "How far to trust it", "Loadings", "Canonical variates",
                                   "Weights", "Plan", "How to reproduce it"}));
  EXPECT_EQ(page["sections"].back()["code"],
            "landfall cca d/left.npy d/right.npy -p 2 --out 'a run' --held-out 0.2 --quiet");
  const Json summary = Json::parse(content(folder_ / "a run/summary.json"));
  const Json& bars = page["sections"][0]["charts"][0];
  ASSERT_EQ(bars["series"].size(), 3U);
  EXPECT_NEAR(bars["series"][0]["y"][1], summary["correlations"][1], 1e-6);
  EXPECT_NEAR(bars["series"][1]["y"][1], summary["held_out_correlations"][1], 1e-6);
  EXPECT_NEAR(bars["series"][2]["y"][1], summary["cross_validated_correlations"][1], 1e-6);
  const Json tests = section(page, "How far to trust it")["table"];
  EXPECT_NEAR(tests["rows"][1][2], summary["cross_validated_correlations"][1], 1e-6);
  const Json loadings = section(page, "Loadings")["charts"];
  EXPECT_EQ(loadings.size(), 5U);  // of two pairs and two views, and the circle
  EXPECT_EQ(loadings[4]["kind"], "circle");
  EXPECT_EQ(loadings[4]["series"][0]["x"].size(), 6U);
}

TEST_F(Report, SampleIsSpreadOverTheRowsWithTheirLabels) {
  std::string labels;
  for (int i = 0; i < 2500; ++i) labels += i < 1250 ? "early\n" : "late\n";
  folder_.file("labels.txt", labels);
  ASSERT_EQ(cca({"--out", "run", "--labels", "labels.txt"}).code, 0);
  const Json chart = section(data("run"), "Canonical variates")["charts"][0];
  ASSERT_EQ(chart["series"].size(), 2U);
  EXPECT_EQ(chart["series"][0]["name"], "early");
  EXPECT_EQ(chart["series"][0]["rows"].size(), 1000U);
  EXPECT_EQ(chart["series"][1]["rows"].size(), 1000U);
  EXPECT_GT(chart["series"][1]["rows"][999], 2490);
  double product = 0, left = 0, right = 0;  // scores of the first pair correlate
  for (const auto& series : chart["series"])
    for (std::size_t i = 0; i < series["x"].size(); ++i) {
      const double x = series["x"][i], y = series["y"][i];
      product += x * y, left += x * x, right += y * y;
    }
  EXPECT_NEAR(product / std::sqrt(left * right), 0.9, 0.03);
}

TEST_F(Report, NamesOfColumnsAreThoseOfTheFile) {
  folder_.file("left.csv", "alpha,<script>\n1,0\n2,1\n3,1\n4,3\n5,1\n");
  folder_.file("right.csv", "x,y\n1,5\n2,3\n3,1\n4,3\n5,0\n");
  ASSERT_EQ(landfall({"cca", "left.csv", "right.csv", "-p", "1", "--out", "run"}).code, 0);
  const Json weights = section(data("run"), "Weights")["charts"][0];
  EXPECT_EQ(weights["kind"], "names");
  EXPECT_TRUE(weights["names"] == Json({"alpha", "<script>"}) ||
              weights["names"] == Json({"<script>", "alpha"}));
}

TEST_F(Report, WeightsArePicturesWhenColumnsArePixels) {
  ASSERT_EQ(cca({"--out", "run", "--image", "2x3"}).code, 0);
  const Json images = section(data("run"), "Weights")["images"];
  EXPECT_EQ(images["height"], 2);
  EXPECT_EQ(images["width"], 3);
  ASSERT_EQ(images["pictures"].size(), 2U);
  ASSERT_EQ(images["pictures"][0]["parts"].size(), 2U);
  EXPECT_EQ(images["pictures"][0]["parts"][0]["values"].size(), 6U);
}

TEST_F(Report, HistoryIsChartedWhereThereIsOne) {
  ASSERT_EQ(cca({"--out", "run", "--method", "landing"}).code, 0);
  ASSERT_EQ(landfall({"gevp", "p/A.npy", "p/B.npy", "-p", "2", "--method", "lobpcg", "--out", "pairs"}).code,
            0);
  const auto titles = [](const Json& page) {
    Words list;
    for (const auto& section : page["sections"])
      if (section["heading"] == "Convergence")
        for (const auto& chart : section["charts"]) list.push_back(chart["title"]);
    return list;
  };
  EXPECT_EQ(titles(data("run")), (Words{"Objective, by passes", "Objective, by seconds",
                                        "Infeasibility, by passes", "Infeasibility, by seconds"}));
  const Words pairs = titles(data("pairs"));
  ASSERT_GE(pairs.size(), 2U);
  EXPECT_EQ(pairs[0], "Residual, by iteration");
}

TEST_F(Report, WhatCannotBeIsASentence) {
  folder_.file("labels.txt", "1\n2\n3\n");
  expect_error(cca({"--image", "2x2"}), 2, "--image 2x2: 4 pixels, but d/left.npy has 6 columns");
  expect_error(cca({"--image", "6"}), 2,
               "--image: '6' is not a height and a width such as 28x14 (see landfall cca --help)");
  expect_error(cca({"--labels", "labels.txt"}), 3,
               "labels.txt has 3 labels and d/left.npy has 2500 rows; expected the same number");
  expect_error(landfall({"report", "none"}), 3, "none: no such folder");
  expect_error(landfall({"report", "d"}), 3, "d: no summary.json in it, expected a folder written by --out");
  ASSERT_EQ(cca({"--out", "run"}).code, 0);
  folder_.file("run/summary.json", "{}");
  expect_error(landfall({"report", "run"}), 3,
               "run: summary.json or report.json is not a file that landfall wrote");
  expect_help(landfall({"report", "--help"}));
}

TEST_F(Report, FilesOfStrangersAreRefused) {
  ASSERT_EQ(cca({"--out", "run"}).code, 0);
  Json summary = Json::parse(content(folder_ / "run/summary.json"));
  const auto write_with = [&](const char* key, const Json& value) {
    Json changed = summary;
    changed[key] = value;
    folder_.file("run/summary.json", changed.dump());
  };
  folder_.file("run/summary.json",
               R"({"warnings": )" + std::string(200000, '[') + std::string(200000, ']') + "}");
  expect_error(landfall({"report", "run"}), 3,
               "run: summary.json or report.json is not a file that landfall wrote");
  write_with(
      "component_choice",
      {{"components", {1, 2}}, {"stable", Json::array()}, {"mean_quality", Json::array()}, {"text", ""}});
  expect_error(landfall({"report", "run"}), 3,
               "run: summary.json or report.json is not a file that landfall wrote");
  folder_.file("run/summary.json", summary.dump());
  for (const char* sample :
       {R"({"views": [], "rows": []})", R"({"views": [[], []], "rows": []})",
        R"({"views": [[[1, 2]], [[1]]], "rows": [0, 1]})", R"({"views": [[[1], [2]], [[1]]], "rows": [0]})",
        R"({"views": [[[1]], [[1]]], "rows": [0], "labels": [1], "classes": ["a"]})",
        R"({"views": [[[1]], [[1]]], "rows": [0], "labels": [0, 0], "classes": ["a"]})"}) {
    SCOPED_TRACE(sample);
    folder_.file("run/report.json", fmt::format(R"({{"sample": {}}})", sample));
    expect_error(landfall({"report", "run"}), 3,
                 "run: summary.json or report.json is not a file that landfall wrote");
  }
  folder_.file("run/report.json", R"({"sample": {"views": [[[1]], [[1e-310]]], "rows": [0]}})");
  EXPECT_EQ(landfall({"report", "run"}).code, 0);
  std::filesystem::copy_file(folder_ / "p/A.npy", folder_ / "run/weights_right.npy",
                             std::filesystem::copy_options::overwrite_existing);
  expect_error(landfall({"report", "run"}), 3, "run: 2 and 20 components, expected files of the same run");

  for (
      const char* comparison :
      {"{}", "[", R"({"problem": "none"})",
       R"({"problem": "cca", "exact": null, "measure": null, "runs": [{}]})",
       R"({"problem": "cca", "exact": null, "measure": null, "one_process": true, "runs": [{"name": "a", "failed": false,
            "value": 1, "infeasibility": 0, "passes": 1, "seconds": 1, "folder": "../run"}]})"}) {
    SCOPED_TRACE(comparison);
    folder_.file("run/comparison.json", comparison);
    expect_error(landfall({"report", "run"}), 3, "run/comparison.json: not a file that landfall wrote");
  }
}

}  // namespace
}  // namespace landfall::test
