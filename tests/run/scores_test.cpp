// Scores of the rows of files: (A - mean) weights, view by view.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/run/scores.hpp>

#include <limits>

#include "data/temporary_folder.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

class Scores : public ::testing::Test {
 protected:
  std::vector<ScoredView<double>> views(const std::vector<Matrix<double>>& data) {
    std::vector<ScoredView<double>> views;
    weights_.clear();
    means_.clear();
    for (std::size_t v = 0; v < data.size(); ++v) {
      const auto path = folder_ / ("view" + std::to_string(v) + ".npy");
      write_npy<double>(path, data[v]);
      weights_.push_back(gaussian<double>(data[v].cols(), 2, {10 + v, 0}));
      means_.push_back(gaussian<double>(data[v].cols(), 1, {20 + v, 0}));
      views.push_back({open_source<double>(path.string()), weights_[v], means_[v]});
    }
    return views;
  }
  Matrix<double> read_all(ScoreReader<double>& reader) {
    Matrix<double> all(0, reader.cols()), scores;
    while (reader.next(scores)) {
      all.conservativeResize(all.rows() + scores.rows(), Eigen::NoChange);
      all.bottomRows(scores.rows()) = scores;
    }
    return all;
  }
  Matrix<double> expected(const Matrix<double>& rows, std::size_t v) const {
    return (rows.rowwise() - means_[v].transpose()) * weights_[v];
  }

  TemporaryFolder folder_;
  std::vector<Matrix<double>> weights_;
  std::vector<Vector<double>> means_;
};

TEST_F(Scores, AreThoseOfAllViewsSideBySide) {
  const std::vector<Matrix<double>> data{gaussian<double>(2500, 4, {1, 0}), gaussian<double>(2500, 3, {2, 0}),
                                         gaussian<double>(2500, 5, {3, 0})};
  ScoreReader<double> reader(views(data), {.centring = Centring::exact});
  ASSERT_EQ(reader.cols(), 6);
  const Matrix<double> scores = read_all(reader);
  ASSERT_EQ(scores.rows(), 2500);
  EXPECT_EQ(reader.read(), 2500);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_LT((scores.middleCols(2 * static_cast<Index>(v), 2) - expected(data[v], v)).norm(),
              1e-10 * scores.norm());
}

TEST_F(Scores, ARowMissingInOneViewIsDroppedInAll) {
  std::vector<Matrix<double>> data{gaussian<double>(5, 4, {1, 0}), gaussian<double>(5, 3, {2, 0})};
  data[1](2, 0) = std::numeric_limits<double>::quiet_NaN();
  ScoreReader<double> reader(views(data), {.centring = Centring::exact, .missing = Missing::drop});
  const Matrix<double> scores = read_all(reader);
  ASSERT_EQ(scores.rows(), 4);
  EXPECT_EQ(reader.dropped(), 1);
  EXPECT_LT((scores.row(2).head(2) - expected(data[0].row(3), 0)).norm(), 1e-12);
}

TEST_F(Scores, FilesOfDifferentLengthsAreAnError) {
  ScoreReader<double> reader(
      views({gaussian<double>(5, 2, {1, 0}), gaussian<double>(5, 2, {2, 0}), gaussian<double>(7, 2, {3, 0})}),
      {.centring = Centring::exact});
  Matrix<double> scores;
  try {
    reader.next(scores);
    FAIL() << "no error";
  } catch (const DataError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("view0.npy has 5 rows and "), std::string::npos) << text;
    EXPECT_NE(text.find("view2.npy has 7; expected the same number in both"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace landfall::test
