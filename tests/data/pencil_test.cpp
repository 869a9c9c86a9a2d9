#include <landfall/data/formats/npy.hpp>
#include <landfall/data/synthetic/pencil.hpp>
#include <landfall/errors.hpp>

#include <data/temporary_folder.hpp>
#include <fmt/format.h>
#include <support.hpp>

namespace landfall::test {
namespace {

/// n numbers from 1/condition up to 1, each the same step (or the same factor) above the one before.
Vector<double> steps(Index n, double condition) {
  return Vector<double>::LinSpaced(n, 1 / condition, 1);
}
Vector<double> factors(Index n, double condition) {
  return (Vector<double>::LinSpaced(n, -std::log(condition), 0)).array().exp();
}

void expect_near(const Vector<double>& a, const Vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance);
}

constexpr Index n = 40;
const double tolerance = rounding<double>(1, 10 * n);

TEST(Pencil, PaperHasThePromisedSpectra) {
  for (const double condition : {1.0, 7.0, 100.0, 1e6}) {
    const SyntheticPencil pencil = make_pencil({.size = n, .condition = condition, .seed = 3});
    expect_near(eigenvalues(pencil.a), steps(n, condition), tolerance);
    expect_near(eigenvalues(pencil.b), factors(n, condition), tolerance);
    EXPECT_EQ(pencil.a, pencil.a.transpose());
    EXPECT_EQ(pencil.b, pencil.b.transpose());
    EXPECT_EQ(pencil.eigenvalues.size(), 0);
  }
}

TEST(Pencil, ReleasedIsThePublishedProgramsOne) {
  const SyntheticPencil pencil = make_pencil({.size = n, .kind = PencilKind::released, .seed = 4});
  Vector<double> beta(n);
  for (Index i = 0; i < n; ++i) beta(n - 1 - i) = std::pow(double{n}, -static_cast<double>(i) / n);
  expect_near(eigenvalues(pencil.a), steps(n, 100).normalized(), tolerance);
  expect_near(eigenvalues(pencil.b), beta.normalized(), tolerance);
  EXPECT_NEAR(pencil.a.norm(), 1, tolerance);
  EXPECT_NEAR(pencil.b.norm(), 1, tolerance);
  EXPECT_EQ(pencil.eigenvalues.size(), 0);
}

TEST(Pencil, PlantedEigenvaluesAreTheGeneralizedOnes) {
  for (const double condition : {1.0, 100.0, 1e4}) {
    const SyntheticPencil pencil =
        make_pencil({.size = n, .condition = condition, .kind = PencilKind::planted, .seed = 5});
    expect_near(pencil.eigenvalues, steps(n, condition), tolerance);
    expect_near(eigenvalues(pencil.b), factors(n, condition), tolerance);
    // Solving the pencil loses a factor of the condition of B.
    expect_near(pencil_eigenvalues(pencil.a, pencil.b), pencil.eigenvalues, tolerance * condition);
  }
}

TEST(Pencil, BasesAreIndependentAndFollowTheSeed) {
  const SyntheticPencil pencil = make_pencil({.size = n, .seed = 6});
  // A and B of two unrelated bases commute as little as random matrices do.
  const Matrix<double> ab = pencil.a * pencil.b;
  EXPECT_GT((ab - ab.transpose()).norm(), 0.1 * ab.norm());
  EXPECT_EQ(make_pencil({.size = n, .seed = 6}).a, pencil.a);
  EXPECT_EQ(make_pencil({.size = n, .seed = 6}).b, pencil.b);
  EXPECT_GT((make_pencil({.size = n, .seed = 7}).a - pencil.a).norm(), 0.1 * pencil.a.norm());
  EXPECT_GT((make_pencil({.size = n, .seed = 7}).b - pencil.b).norm(), 0.1 * pencil.b.norm());
}

TEST(Pencil, OneByOne) {
  for (const PencilKind kind : {PencilKind::paper, PencilKind::released, PencilKind::planted}) {
    const SyntheticPencil pencil = make_pencil({.size = 1, .kind = kind});
    EXPECT_NEAR(pencil.a(0, 0), 1, tolerance);
    EXPECT_NEAR(pencil.b(0, 0), 1, tolerance);
  }
}

TEST(Pencil, RefusesSizesAndConditionsWithoutSense) {
  const auto error = [](const PencilOptions& options) -> std::string {
    try {
      make_pencil(options);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({.size = 0}), "PencilOptions: size = 0, expected at least 1 and below 2^31");
  EXPECT_EQ(error({.size = -1}), "PencilOptions: size = -1, expected at least 1 and below 2^31");
  EXPECT_EQ(error({.condition = 0.5}),
            "PencilOptions: condition = 0.5, expected a finite number of at least 1");
  EXPECT_EQ(error({.condition = std::nan("")}),
            "PencilOptions: condition = nan, expected a finite number of at least 1");
  EXPECT_EQ(error({.condition = HUGE_VAL}),
            "PencilOptions: condition = inf, expected a finite number of at least 1");
}

TEST(Pencil, IsWrittenAsThreeFilesOrTwo) {
  const TemporaryFolder folder;
  const auto target = folder / "new" / "deeper";
  const SyntheticPencil planted = make_pencil({.size = 9, .kind = PencilKind::planted});
  write_pencil(target, planted);
  EXPECT_EQ(read_npy<double>(target / "A.npy"), planted.a);
  EXPECT_EQ(read_npy<double>(target / "B.npy"), planted.b);
  EXPECT_EQ(read_npy<double>(target / "eigenvalues.npy"), planted.eigenvalues);
  EXPECT_EQ(read_npy_header(InputFile(target / "eigenvalues.npy")).shape, std::vector<Index>{9});

  const SyntheticPencil paper = make_pencil({.size = 9});
  write_pencil(target, paper);
  EXPECT_EQ(read_npy<double>(target / "A.npy"), paper.a);
  EXPECT_FALSE(std::filesystem::exists(target / "eigenvalues.npy"));
}

TEST(Pencil, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  const auto target = folder.file("file", "") / "below";
  EXPECT_EQ(data_error(target, [&] { write_pencil(target, make_pencil({.size = 2})); }),
            "cannot create the folder: Not a directory");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace landfall::test
