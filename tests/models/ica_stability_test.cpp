// Which sources come back from other starts, and how many components to keep.
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/models/ica/component_choice.hpp>
#include <landfall/parallel/threads.hpp>

#include <numeric>

#include "support.hpp"
#include <models/classes.hpp>

namespace landfall::test::ica_stability_test {

Matrix<double> laplace(Index rows, Index columns, std::uint64_t seed) {
  // The product of two normal numbers plus that of two others is a Laplace number.
  const auto normal = [&](std::uint64_t k) { return gaussian<double>(rows, columns, {seed, k}); };
  return normal(0).cwiseProduct(normal(1)) + normal(2).cwiseProduct(normal(3));
}

RowMatrix<double> mixed(const Matrix<double>& sources, std::uint64_t seed) {
  return sources * gaussian<double>(sources.cols(), sources.cols(), {seed, 9}).transpose();
}

template <class S>
IcaStability stability(const RowMatrix<double>& data, int restarts, const IcaOptions& options = {},
                       bool sparse = false) {
  const auto source = rows_of<S>(data.cast<S>(), sparse);
  const auto result = fit_ica<S>(std::make_unique<BorrowedSource<S>>(*source), options);
  return ica_stability<S>(*source, result, options, restarts);
}

/// A similarity of 1 on the diagonal and random numbers elsewhere.
Matrix<double> random_similarity(Index count, std::uint64_t seed) {
  Matrix<double> a = gaussian<double>(count, count, {seed, 0}).cwiseAbs().cwiseMin(2.) / 2;
  a = (a + a.transpose()).eval() / 2;
  a.diagonal().setOnes();
  return a;
}

/// Average linkage by its definition: the two clusters with the largest mean similarity become one, again and again.
std::vector<std::vector<Index>> merged_by_definition(const Matrix<double>& similarity, std::size_t count) {
  std::vector<std::vector<Index>> clusters;
  for (Index i = 0; i < similarity.rows(); ++i) clusters.push_back({i});
  while (clusters.size() > count) {
    std::size_t first = 0, second = 1;
    double most = -1;
    for (std::size_t a = 0; a < clusters.size(); ++a)
      for (std::size_t b = a + 1; b < clusters.size(); ++b) {
        const double mean = similarity(clusters[a], clusters[b]).mean();
        if (mean > most) {
          most = mean;
          first = a;
          second = b;
        }
      }
    clusters[first].insert(clusters[first].end(), clusters[second].begin(), clusters[second].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(second));
  }
  for (auto& cluster : clusters) std::ranges::sort(cluster);
  std::ranges::sort(clusters);
  return clusters;
}

TEST(SourceClusters, AreThoseOfAverageLinkage) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix<double> similarity = random_similarity(24, seed);
    const std::vector<Index> run(24, 0);
    for (const Index count : {1, 4, 9, 24}) {
      const auto found = cluster_sources(similarity, run, count);
      std::vector<std::vector<Index>> members;
      for (const auto& cluster : found.clusters) members.push_back(cluster.members);
      EXPECT_EQ(members, merged_by_definition(similarity, static_cast<std::size_t>(count))) << seed;
      for (Index i = 0; i < 24; ++i) {
        const auto& own = members[static_cast<std::size_t>(found.of[static_cast<std::size_t>(i)])];
        EXPECT_TRUE(std::ranges::binary_search(own, i));
      }
    }
  }
}

TEST(SourceClusters, QualityIsMeanSimilarityWithinLessBetween) {
  const Matrix<double> similarity = random_similarity(12, 3);
  std::vector<Index> run;
  for (Index i = 0; i < 12; ++i) run.push_back(i / 3);
  const auto found = cluster_sources(similarity, run, 3);
  for (const SourceCluster& cluster : found.clusters) {
    double within = 0, between = 0, pairs = 0, others = 0, best = -1;
    std::vector<char> runs(4, 0);
    Index centre = -1;
    for (const Index i : cluster.members) {
      runs[static_cast<std::size_t>(i / 3)] = 1;
      double sum = 0;
      for (Index j = 0; j < 12; ++j) {
        const bool inside = std::ranges::binary_search(cluster.members, j);
        if (inside && j != i) sum += similarity(i, j), ++pairs;
        if (!inside) between += similarity(i, j), ++others;
      }
      within += sum;
      if (sum > best) best = sum, centre = i;
    }
    EXPECT_NEAR(cluster.quality(), (pairs > 0 ? within / pairs : 0) - between / others, 1e-12);
    EXPECT_EQ(cluster.centrotype, centre);
    EXPECT_EQ(cluster.runs, std::accumulate(runs.begin(), runs.end(), Index{0}));
  }
}

/// Nothing confirms an estimate that is alone.
TEST(SourceClusters, ASingleEstimateHasNoQuality) {
  const auto found = cluster_sources(Matrix<double>::Identity(3, 3), {0, 0, 0}, 3);
  for (const auto& cluster : found.clusters) EXPECT_EQ(cluster.quality(), 0);
}

TEST(IcaStability, DoesNotDependOnOrderAndSignOfSourcesAndRuns) {
  constexpr Index kSources = 5, kRuns = 6;
  std::vector<IcaSources> runs;
  for (std::uint64_t k = 0; k < kRuns; ++k) {  // three sources that are found with some noise, two at random
    Matrix<double> w = Matrix<double>::Identity(kSources, kSources);
    w.bottomRightCorner(2, 2) = nearest_rotation<double>(gaussian<double>(2, 2, {k, 1}));
    w += 0.05 * gaussian<double>(kSources, kSources, {k, 0});
    w = nearest_rotation<double>(w);
    runs.push_back({w, w});
  }
  const auto plain = stability_of(runs);
  EXPECT_EQ(plain.runs, kRuns);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_GT(plain.of(j).quality(), 0.8);
    EXPECT_EQ(plain.of(j).runs, kRuns);
  }
  const std::vector<Index> order{3, 0, 4, 2, 1};
  std::vector<IcaSources> turned = runs;
  for (std::size_t k = 0; k < turned.size(); ++k) {
    const Vector<double> signs = gaussian<double>(kSources, 1, {k, 5}).col(0).cwiseSign();
    const Matrix<double> w = runs[k].weights(Eigen::all, order) * signs.asDiagonal();
    turned[k] = {w, w};
  }
  std::reverse(turned.begin() + 1, turned.end());
  const auto other = stability_of(turned);
  for (Index j = 0; j < kSources; ++j) {
    const Index before = order[static_cast<std::size_t>(j)];
    EXPECT_NEAR(other.of(j).quality(), plain.of(before).quality(), 1e-12);
    EXPECT_EQ(other.of(j).size(), plain.of(before).size());
    EXPECT_EQ(other.of(j).runs, plain.of(before).runs);
    const Index a = other.cluster[static_cast<std::size_t>(j)],
                b = plain.cluster[static_cast<std::size_t>(before)];
    EXPECT_NEAR(std::abs(other.centrotypes.col(a).dot(plain.centrotypes.col(b))), 1, 1e-12);
  }
}

TEST(IcaStability, LaplaceSourcesComeBackFromEveryStart) {
  constexpr int kRestarts = 6;
  const RowMatrix<double> data = mixed(laplace(3000, 5, 1), 1);
  const auto found = stability<double>(data, kRestarts);
  EXPECT_EQ(found.runs, kRestarts + 1);
  for (Index j = 0; j < 5; ++j) {
    EXPECT_GT(found.of(j).quality(), 0.98) << j;
    EXPECT_EQ(found.of(j).size(), kRestarts + 1);
    EXPECT_EQ(found.of(j).runs, kRestarts + 1);
    EXPECT_TRUE(found.is_stable(j));
  }
  EXPECT_EQ(stability_warning(found), "");
}

TEST(IcaStability, GaussianSourcesDoNot) {
  const auto found = stability<double>(gaussian<double>(3000, 5, {2, 0}), 8);
  double mean = 0;
  for (Index j = 0; j < 5; ++j) mean += found.of(j).quality() / 5;
  EXPECT_LT(mean, 0.7);
  const std::string warning = stability_warning(found);
  EXPECT_NE(warning.find("do not come back"), std::string::npos) << warning;
  EXPECT_NE(warning.find("of 9 runs"), std::string::npos) << warning;
}

TEST(IcaStability, NamesTheSourcesThatAreNoise) {
  Matrix<double> sources = gaussian<double>(3000, 6, {15, 0});
  sources.leftCols(3) = laplace(3000, 3, 16);
  const auto found = stability<double>(mixed(sources, 16), 10);
  for (Index j = 0; j < 3; ++j) EXPECT_TRUE(found.is_stable(j)) << j;  // in the order of their negentropy
  EXPECT_LT(found.of(3).quality() + found.of(4).quality() + found.of(5).quality(), 3 * kStableQuality);
  EXPECT_EQ(stability_warning({}), "");
}

/// Where the method is asked for, rows are sparse or in single precision, columns are constant or more than components.
TEST(IcaStability, TakesEveryKindOfFit) {
  RowMatrix<double> data(3000, 6);
  data << mixed(laplace(3000, 4, 3), 3), Matrix<double>::Constant(3000, 1, 7.),
      gaussian<double>(3000, 1, {4, 0}) / 100;
  for (const IcaOptions& options :
       {IcaOptions{.components = 4}, IcaOptions{.components = 4, .method = FitMethod::landing},
        IcaOptions{.components = 4, .reduction = Reduction::none}, IcaOptions{.baseline = "picard-o"},
        IcaOptions{}}) {
    const auto found = stability<double>(data, 3, options);
    EXPECT_EQ(found.runs, 4);
    EXPECT_EQ(stability_warning(found), "") << options.baseline << static_cast<int>(options.reduction);
    EXPECT_EQ(found.centrotypes.rows(), 6);
    EXPECT_EQ(found.centrotypes.row(4).norm(), 0);
  }
  EXPECT_EQ(stability_warning(stability<float>(data, 3)), "");
  EXPECT_EQ(stability_warning(stability<float>(data, 3, {.components = 4}, true)), "");
}

TEST(IcaRestarts, InMemoryAreThoseOfOtherSeeds) {
  const RowMatrix<double> data = mixed(laplace(5000, 4, 5), 5);
  const auto source = rows_of<double>(data);
  IcaRestarts<double> fast(*source, {}, 3), fits(*source, {.method = FitMethod::landing}, 3);
  EXPECT_TRUE(fast.in_memory());
  EXPECT_FALSE(fits.in_memory());
  EXPECT_FALSE(IcaRestarts<double>(*source, {.memory = 100'000}, 3).in_memory());
  const auto a = fast.run(3, 0), b = fits.run(3, 1);
  ASSERT_TRUE(a && b);
  const Matrix<double> alike = (a->weights.transpose() * b->mixing).cwiseAbs();
  EXPECT_GT(alike.rowwise().maxCoeff().minCoeff(), 0.999);
  EXPECT_LT((a->weights.transpose() * a->mixing - Matrix<double>::Identity(3, 3)).norm(), 1e-8);
  const auto fitted = fit_ica<double>(rows_of<double>(data), {.components = 3});
  EXPECT_NEAR(fast.explained(3), fitted.explained_variance, 1e-9);
  EXPECT_EQ(fast.rank(), 4);
  EXPECT_EQ(fast.explained(4), 1);
}

TEST(IcaRestarts, AreTheSameWithAnyNumberOfThreads) {
  const auto source = rows_of<double>(mixed(laplace(2000, 4, 13), 13));
  std::vector<std::vector<IcaSources>> found;
  const int before = threads();
  for (const int count : {1, 3}) {
    set_threads(count);
    found.push_back(IcaRestarts<double>(*source, {}, 4).runs(4, 5));
  }
  set_threads(before);
  ASSERT_EQ(found[0].size(), 5U);
  ASSERT_EQ(found[1].size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(found[0][k].weights, found[1][k].weights);
    EXPECT_EQ(found[0][k].departure, found[1][k].departure);
  }
  EXPECT_NE(found[0][0].weights, found[0][1].weights);
}

TEST(IcaComponents, GridIsShortAndGoesToTheEnd) {
  EXPECT_EQ(component_grid(1), std::vector<Index>{1});
  EXPECT_EQ(component_grid(4), (std::vector<Index>{2, 3, 4}));
  for (const Index most : {13, 14, 50, 784}) {
    const auto grid = component_grid(most);
    EXPECT_LE(grid.size(), 12U);
    EXPECT_EQ(grid.front(), 2);
    EXPECT_EQ(grid.back(), most);
    EXPECT_TRUE(std::ranges::is_sorted(grid, std::less_equal<>()));
  }
}

TEST(IcaComponents, TheMostStableOnesAreChosenAndTheFewestOfThem) {
  const auto row = [](Index p, Index stable, double explained) {
    return IcaGridRow{.components = p, .explained = explained, .stable = stable};
  };
  EXPECT_EQ(chosen_row({row(2, 1, .5), row(4, 4, .9), row(8, 4, .99)}), 1U);
  EXPECT_EQ(chosen_row({row(2, 0, .5), row(4, 0, .96), row(8, 0, 1)}), 1U);
  EXPECT_EQ(chosen_row({row(2, 0, .5), row(4, 0, .9)}), 1U);
}

/// Seven sources in 16 columns, of which the grid has no number, and a little Gaussian noise.
TEST(IcaComponents, FindsTheNumberOfSources) {
  constexpr Index kSources = 7, kColumns = 16, kRows = 4000;
  const RowMatrix<double> data = laplace(kRows, kSources, 6) * gaussian<double>(kSources, kColumns, {6, 9}) +
                                 0.05 * gaussian<double>(kRows, kColumns, {7, 0});
  const auto source = rows_of<double>(data);
  const auto found = choose_ica_components<double>(*source, {}, {.restarts = 4});
  EXPECT_EQ(found.rank, kColumns);
  EXPECT_EQ(found.samples, kRows);
  const IcaGridRow& chosen = found.rows[found.chosen];
  EXPECT_EQ(chosen.components, kSources);
  EXPECT_EQ(chosen.stable, kSources);
  EXPECT_EQ(chosen.runs, 5);
  EXPECT_GT(chosen.explained, 0.98);
  EXPECT_GT(chosen.worst_quality, kStableQuality);
  EXPECT_TRUE(std::ranges::is_sorted(found.rows, {}, &IcaGridRow::components));
  EXPECT_TRUE(std::ranges::is_sorted(found.rows, {}, &IcaGridRow::explained));
  EXPECT_LT(found.rows.back().worst_quality, kStableQuality);

  const auto few = choose_ica_components<double>(*source, {}, {.most = 5, .restarts = 2});
  EXPECT_EQ(few.rows.back().components, 5);
}

/// A Gaussian source that the others leave over is found in every run, and still none to count.
TEST(IcaComponents, OneGaussianSourceIsNotCounted) {
  Matrix<double> sources = laplace(4000, 4, 10);
  sources.col(3) = gaussian<double>(4000, 1, {11, 0});
  const RowMatrix<double> data = mixed(sources, 10);
  const auto found = stability<double>(data, 5);
  EXPECT_TRUE(found.is_stable(3));
  EXPECT_EQ(stable_sources(found), 3);
  EXPECT_LT(found.departure(3), kDeparture);
  for (Index j = 0; j < 3; ++j) EXPECT_GT(found.departure(j), 10) << j;
}

/// The departure of a Gaussian source is the size of a normal number: below 3 on average, with a mean square of 1.
TEST(IcaComponents, DepartureIsInStandardErrors) {
  for (const Contrast contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube}) {
    double squares = 0;
    constexpr int kTables = 200;
    for (std::uint64_t seed = 0; seed < kTables; ++seed) {
      Vector<double> y = gaussian<double>(2000, 1, {seed, 12}).col(0), slope(2000);
      y.array() -= y.mean();
      y /= y.norm() / std::sqrt(2000.);
      const double value = apply_contrast<double>(contrast, y, 1.0, slope).value / 2000;
      squares +=
          std::pow((value - gaussian_value(contrast)) / gaussian_deviation(contrast), 2) * 2000 / kTables;
    }
    EXPECT_NEAR(squares, 1, 4 * std::sqrt(2. / kTables)) << to_string(contrast);
  }
}

TEST(IcaComponents, NoiseHasNoStableNumber) {
  const auto source = rows_of<double>(gaussian<double>(3000, 6, {8, 0}));
  const auto found = choose_ica_components<double>(*source, {}, {.restarts = 6});
  EXPECT_FALSE(found.any_stable());
  EXPECT_EQ(found.rows[found.chosen].components, 6);  // 95 % of the variance
}

TEST(IcaComponents, RefusesWhatItCannotDo) {
  const auto source = rows_of<double>(gaussian<double>(300, 40, {8, 0}));
  EXPECT_THROW(choose_ica_components<double>(*source, {}, {.restarts = 0}), UsageError);
  EXPECT_THROW(choose_ica_components<double>(*source, {.memory = 1000}, {}), UsageError);
  EXPECT_THROW(require_cluster_memory(100, 1000, 1 << 20), UsageError);
}

}  // namespace landfall::test::ica_stability_test
