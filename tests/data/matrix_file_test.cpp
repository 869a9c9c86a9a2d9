#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>

#include <limits>

#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class LoadMatrix : public Typed<S> {
 protected:
  std::string error(const std::filesystem::path& path) const {
    return data_error(path, [&] { load_matrix<S>(path); });
  }
  std::string symmetric_error(const std::filesystem::path& path) const {
    return data_error(path, [&] { load_symmetric<S>(path); });
  }
  std::filesystem::path npy(const Matrix<S>& m) const {
    write_npy<S>(folder_ / "m.npy", m);
    return folder_ / "m.npy";
  }
  std::filesystem::path market(const Eigen::SparseMatrix<S>& m) const {
    write_matrix_market<S>(folder_ / "m.mtx", m);
    return folder_ / "m.mtx";
  }

  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(LoadMatrix, Scalars);

TYPED_TEST(LoadMatrix, TheSameMatrixFromEveryFormatWhateverTheName) {
  using S = TypeParam;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 6}, {6, 1}, {20, 30}}) {
    const Matrix<S> m = gaussian<S>(rows, cols, {5, 0});
    write_npy<S>(this->folder_ / "a.mtx", m);
    write_matrix_market<S>(this->folder_ / "b.npy", m);
    write_matrix_market<S>(this->folder_ / "c", Eigen::SparseMatrix<S>(m.sparseView()));
    EXPECT_EQ(std::get<Matrix<S>>(load_matrix<S>(this->folder_ / "a.mtx")), m);
    EXPECT_EQ(std::get<Matrix<S>>(load_matrix<S>(this->folder_ / "b.npy")), m);
    EXPECT_EQ(Matrix<S>(std::get<Eigen::SparseMatrix<S>>(load_matrix<S>(this->folder_ / "c"))), m);
  }
}

TYPED_TEST(LoadMatrix, RefusesWhatIsNoMatrix) {
  EXPECT_EQ(this->error(this->folder_ / "missing.npy"), "no such file");
  EXPECT_EQ(this->error(this->folder_.path()), "a folder, expected a file");
  EXPECT_EQ(this->error(this->folder_.file("empty.npy", "")), "the file is empty");
  const std::string unknown = "unknown file type; expected .npy or Matrix Market (.mtx)";
  EXPECT_EQ(this->error(this->folder_.file("x.csv", "1,2\n3,4\n")), unknown);
  EXPECT_EQ(this->error(this->folder_.file("x.npy", "\x93NUM")), unknown);
  EXPECT_EQ(this->error(this->folder_.file("x.mtx", "%")), unknown);
}

TYPED_TEST(LoadMatrix, NamesTheEntryThatIsNotFinite) {
  using S = TypeParam;
  const S inf = std::numeric_limits<S>::infinity(), nan = std::numeric_limits<S>::quiet_NaN();
  const std::string precision = std::is_same_v<S, float> ? " in single precision" : "";
  Matrix<S> m = gaussian<S>(20, 5, {1, 0});
  const auto both = [&](S value) {
    m(16, 2) = value;
    const std::string text = this->error(this->npy(m));
    EXPECT_EQ(text, this->error(this->market(m.sparseView())));
    return text;
  };
  EXPECT_EQ(both(nan), "row 17, column 3 is NaN; every entry must be finite");
  EXPECT_EQ(both(inf), "row 17, column 3 is Inf" + precision + "; every entry must be finite");
  EXPECT_EQ(both(-inf), "row 17, column 3 is -Inf" + precision + "; every entry must be finite");
}

TEST(LoadMatrix, ANumberBeyondSinglePrecisionIsNamedThereOnly) {
  const TemporaryFolder folder;
  const auto path = folder / "m.npy";
  write_npy<double>(path, Matrix<double>::Constant(1, 1, 1e39));
  EXPECT_EQ(std::get<Matrix<double>>(load_matrix<double>(path))(0), 1e39);
  EXPECT_EQ(data_error(path, [&] { load_matrix<float>(path); }),
            "row 1, column 1 is Inf in single precision; every entry must be finite");
}

TYPED_TEST(LoadMatrix, SymmetricMeansSquare) {
  using S = TypeParam;
  EXPECT_EQ(this->symmetric_error(this->npy(Matrix<S>::Ones(3, 4))), "3x4, expected a square matrix");
  EXPECT_EQ(this->symmetric_error(this->market(Matrix<S>::Ones(4, 1).sparseView())),
            "4x1, expected a square matrix");
}

TYPED_TEST(LoadMatrix, NamesTheWorstPairOfPlaces) {
  using S = TypeParam;
  Matrix<S> m = random_symmetric<S>(6, 3);
  m(4, 1) = 2;
  m(1, 4) = S(2.25);
  m(0, 5) += S(0.125);
  const std::string text = "row 5, column 2 is 2 but row 2, column 5 is 2.25; expected a symmetric matrix";
  EXPECT_EQ(this->symmetric_error(this->npy(m)), text);
  EXPECT_EQ(this->symmetric_error(this->market(m.sparseView())), text);
  // An entry without its mirror image is stored once only.
  Eigen::SparseMatrix<S> upper(3, 3);
  upper.insert(0, 2) = 7;
  EXPECT_EQ(this->symmetric_error(this->market(upper)),
            "row 1, column 3 is 7 but row 3, column 1 is 0; expected a symmetric matrix");
}

TYPED_TEST(LoadMatrix, RoundingIsAveragedAwayAtEveryScale) {
  using S = TypeParam;
  const S eps = std::numeric_limits<S>::epsilon();
  for (const double scale : {1e-30, 1.0, 1e30}) {
    const Matrix<S> exact = random_symmetric<S>(12, 4) * static_cast<S>(scale);
    const S largest = exact.cwiseAbs().maxCoeff();
    const auto check = [&](const Matrix<S>& loaded, S error) {
      EXPECT_EQ(loaded, loaded.transpose());
      EXPECT_LE((loaded - exact).cwiseAbs().maxCoeff(), error);
    };
    Matrix<S> m = exact;
    m.template triangularView<Eigen::StrictlyUpper>() += Matrix<S>::Constant(12, 12, 50 * eps * largest);
    check(std::get<Matrix<S>>(load_symmetric<S>(this->npy(m))), 60 * eps * largest);
    check(std::get<Eigen::SparseMatrix<S>>(load_symmetric<S>(this->market(m.sparseView()))),
          60 * eps * largest);
    m(2, 9) += 200 * eps * largest;
    EXPECT_NE(this->symmetric_error(this->npy(m)), "no error");
    EXPECT_NE(this->symmetric_error(this->market(m.sparseView())), "no error");
  }
}

TYPED_TEST(LoadMatrix, ExactSymmetryIsKeptToTheBit) {
  using S = TypeParam;
  const S huge = std::numeric_limits<S>::max();
  Matrix<S> m(2, 2);
  m << huge, -huge, -huge, std::numeric_limits<S>::denorm_min();
  EXPECT_EQ(std::get<Matrix<S>>(load_symmetric<S>(this->npy(m))), m);
  EXPECT_EQ(Matrix<S>(std::get<Eigen::SparseMatrix<S>>(load_symmetric<S>(this->market(m.sparseView())))), m);
  EXPECT_EQ(std::get<Matrix<S>>(load_symmetric<S>(this->npy(Matrix<S>::Zero(3, 3)))),
            (Matrix<S>::Zero(3, 3)));
}

TEST(LoadSymmetric, TheRoundingIsThatOfTheFile) {
  const TemporaryFolder folder;
  const auto path = folder / "m.npy";
  Matrix<double> m = random_symmetric<float>(5, 1).cast<double>();
  m(1, 3) += 20 * double{std::numeric_limits<float>::epsilon()} * m.cwiseAbs().maxCoeff();
  write_npy<float>(path, m.cast<float>());
  EXPECT_EQ(data_error(path, [&] { load_symmetric<double>(path); }), "no error");
  write_npy<double>(path, m);
  EXPECT_NE(data_error(path, [&] { load_symmetric<double>(path); }), "no error");
}

}  // namespace
}  // namespace landfall::test
