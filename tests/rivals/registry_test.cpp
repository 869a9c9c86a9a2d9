// Every method of the registry on small problems with a known answer: a method is tested by being registered.
#include <landfall/data/laplace_ica.hpp>
#include <landfall/data/memory_source.hpp>
#include <landfall/data/planted_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/amari.hpp>
#include <landfall/models/cca.hpp>
#include <landfall/models/gevp.hpp>
#include <landfall/models/ica.hpp>
#include <landfall/rivals/registry.hpp>

#include <set>
#include <string>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr Index kSamples = 4000;

struct TwoViews {
  RowMatrix<double> left, right;

  CcaResult<double> fit(const CcaOptions& options) const {
    return fit_cca<double>(std::make_unique<MemorySource<double>>(left, "left"),
                           std::make_unique<MemorySource<double>>(right, "right"), options);
  }
};

/// Three correlations stand out; the views have condition 10, different units and different ridges.
const TwoViews& planted() {
  static const TwoViews views = [] {
    PlantedCca<double> maker({.samples = kSamples,
                              .left = 15,
                              .right = 12,
                              .correlations = {0.9, 0.8, 0.7, 0.3},
                              .condition = 10});
    Batch<double> x, y;
    maker.read(0, kSamples, x, y);
    return TwoViews{3 * x.dense().transpose(), y.dense().transpose()};
  }();
  return views;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::string> names(Problem problem) {
  std::vector<std::string> all;
  for (const Rival& rival : rivals())
    if (rival.solves(problem)) all.emplace_back(rival.name);
  return all;
}

class CcaRivals : public ::testing::TestWithParam<std::string> {};

TEST_P(CcaRivals, ReachTheExactCorrelations) {
  const Rival& rival = find_rival(GetParam());
  const Index p = GetParam() == "gen-oja" ? 1 : 3;
  const double exact = planted().fit({.components = p, .method = CcaMethod::exact}).correlations.sum();
  const auto found = planted().fit({.components = p, .rival = GetParam(), .passes = 40, .batch = 50});
  EXPECT_EQ(found.method_name, rival.name);
  EXPECT_GT(found.correlations.sum(), (1 - rival.accuracy) * exact);
  EXPECT_LT(found.correlations.sum(), (1 + 1e-9) * exact);
  if (!rival.stream) {
    EXPECT_EQ(found.termination, Termination::converged) << to_string(found.termination);
  }
  std::cerr << rival.name << " misses " << 1 - found.correlations.sum() / exact << ", " << found.iterations
            << " steps, " << found.seconds.solve << " s\n";
}

INSTANTIATE_TEST_SUITE_P(Registry, CcaRivals, ::testing::ValuesIn(names(Problem::cca)), test_name);

class GevpRivals : public ::testing::TestWithParam<std::string> {};

TEST_P(GevpRivals, ReachTheExactEigenvalues) {
  const Rival& rival = find_rival(GetParam());
  const Index n = 40, p = 3;
  Vector<double> spectrum = Vector<double>::LinSpaced(n, 0, 40);
  spectrum.tail(p) << 80, 90, 100;
  const Matrix<double> root = square_root(random_spd<double>(n, 10, 1));
  const Matrix<double> b = root * root, a = root * with_spectrum<double>(spectrum, 2) * root;
  const auto found =
      solve_rival<double>(rival, {std::make_shared<DenseOperator<double>>((a + a.transpose()) / 2),
                                  std::make_shared<DenseOperator<double>>((b + b.transpose()) / 2)},
                          {.components = p, .seed = 3});
  EXPECT_EQ(found.termination, Termination::converged) << to_string(found.termination);
  const Matrix<double>& x = found.x.at(0);
  ASSERT_EQ(x.cols(), p);
  const Vector<double> values = pencil_eigenvalues(x.transpose() * a * x, x.transpose() * b * x);
  EXPECT_LT((values - spectrum.tail(p)).cwiseAbs().sum(), rival.accuracy * 270);
  std::cerr << rival.name << " misses " << 1 - values.sum() / 270 << ", " << found.progress.iteration
            << " steps\n";
}

INSTANTIATE_TEST_SUITE_P(Registry, GevpRivals, ::testing::ValuesIn(names(Problem::gevp)), test_name);

TEST(Registry, NamesAreDistinct) {
  std::set<std::string_view> seen{"auto", "exact", "landing", "direct"};
  for (const Rival& rival : rivals()) {
    EXPECT_TRUE(seen.insert(rival.name).second) << rival.name;
    EXPECT_FALSE(rival.text.empty() || rival.source.empty() || rival.memory.empty()) << rival.name;
  }
}

}  // namespace
}  // namespace landfall::test
