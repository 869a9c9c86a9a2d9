// landfall reproduce as a user runs it: every figure in its small version, and what is told when data are missing.
#include <landfall/data/formats/npy.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "program.hpp"
#include "reproduce/page.hpp"

namespace landfall::test {
namespace {

const Words names{"fig-gevp",
                  "fig-cca-p5",
                  "fig-cca-p10",
                  "fig-ica",
                  "fig-cost-directions",
                  "fig-cost-retractions",
                  "fig-sensitivity-plam",
                  "fig-sensitivity-landing",
                  "fig-safeguard",
                  "table-retractions",
                  "table-cca",
                  "theory"};

/// The cells of a line, quotes removed.
Words cells_of(const std::string& line) {
  Words cells(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += letter;
  }
  return cells;
}

std::vector<Words> lines_of(const std::filesystem::path& csv) {
  std::istringstream text(content(csv));
  std::vector<Words> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(cells_of(line));
  return lines;
}

/// A header, and lines of as many cells; their numbers are finite, and there are some.
void expect_csv(const std::filesystem::path& csv) {
  const auto lines = lines_of(csv);
  ASSERT_GE(lines.size(), 2U) << csv;
  int numbers = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), lines[0].size()) << csv << " line " << i + 1;
    for (const auto& cell : lines[i]) {
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      if (cell.empty() || *end != '\0') continue;
      EXPECT_TRUE(std::isfinite(value)) << csv << " line " << i + 1;
      ++numbers;
    }
  }
  const bool words_only = csv.string().ends_with("-claims.csv");
  EXPECT_TRUE(words_only || numbers > 0) << csv;
}

TEST(ReproduceCommand, QuickRunOfEverything) {
  const TemporaryFolder folder;
  const Outcome run = run_program(folder.path(), {"reproduce", "all", "--quick", "--out", "pages"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto pages = folder / "pages";
  std::map<std::string, std::string> verdicts;
  for (const auto& name : names) {
    EXPECT_NE(run.err.find(name + " ... "), std::string::npos);
    EXPECT_NE(run.out.find(name + " "), std::string::npos);
    EXPECT_NE(content(pages / (name + ".html")).find("the paper claims"), std::string::npos);
    const auto claims = lines_of(pages / (name + "-claims.csv"));
    ASSERT_GE(claims.size(), 2U);
    EXPECT_EQ(claims[0], (Words{"the paper claims", "measured here", "agrees"}));
    for (std::size_t i = 1; i < claims.size(); ++i) {
      EXPECT_TRUE(claims[i][2] == "agrees" || claims[i][2] == "differs" || claims[i][2] == "fitted");
      verdicts[claims[i][0]] = claims[i][2];
    }
  }
  for (const auto& file : std::filesystem::directory_iterator(pages))
    if (file.path().extension() == ".csv") expect_csv(file.path());
  for (const char* name : {"fig-cca-p5.html", "fig-cca-p10.html", "table-cca.html"})
    EXPECT_NE(content(pages / name).find("not MNIST"), std::string::npos) << name;

  // What is a law, whatever the machine and the size.
  int laws = 0;
  for (const auto& [claim, verdict] : verdicts)
    for (const char* law : {"deterministic landing: the means", "stochastic landing with steps",
                            "the safeguard stays away from zero", "Psi_B lands: N(X) falls",
                            "after the first epoch the averaged methods are closer"})
      if (claim.starts_with(law)) {
        EXPECT_EQ(verdict, "agrees") << claim;
        ++laws;
      }
  EXPECT_EQ(laws, 7);
}

/// What agrees only because a parameter was chosen for that is not a confirmation.
TEST(ReproduceCommand, AFittedParameterIsNoAgreement) {
  EXPECT_EQ((app::Claim{.claim = "c", .measured = "m", .agrees = true}).verdict(), "agrees");
  EXPECT_EQ((app::Claim{.claim = "c", .measured = "m", .agrees = true, .fitted = true}).verdict(), "fitted");
  EXPECT_EQ((app::Claim{.claim = "c", .measured = "m", .agrees = false, .fitted = true}).verdict(),
            "differs");
}

TEST(ReproduceCommand, SplitMnistFromAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "halves");
  const Matrix<float> left = gaussian<float>(700, 20, {1}), noise = gaussian<float>(700, 20, {2});
  write_npy<float>(folder / "halves/left.npy", left);
  write_npy<float>(folder / "halves/right.npy", left + noise);
  const Outcome run = run_program(folder.path(), {"reproduce", "fig-cca-p5", "--quick", "--data", "halves"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(content(folder / "reproduction/fig-cca-p5.html").find("split MNIST, the first rows, 700 rows"),
            std::string::npos);
}

TEST(ReproduceCommand, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  expect_error(run_program(folder.path(), {"reproduce", "fig-cca-p5"}), 3,
               "fig-cca-p5 needs split MNIST: run landfall data split-mnist mnist, or give its folder with "
               "--data");
  expect_error(run_program(folder.path(), {"reproduce", "all", "--data", "nowhere"}), 3,
               "nowhere: no left.npy and right.npy in it; landfall data split-mnist writes them");
  const Outcome unknown = run_program(folder.path(), {"reproduce", "fig-9"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("'fig-9' is not fig-gevp"), std::string::npos);
}

TEST(ReproduceCommand, Help) {
  expect_help(run_program(".", {"reproduce", "--help"}));
}

}  // namespace
}  // namespace landfall::test
