// The choice between exact covariances and landing, and what it is made from.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>

#include "support.hpp"
#include <data/memory_source.hpp>
#include <data/temporary_folder.hpp>

namespace landfall::test::plan_test {

/// Typical of two cores at 3 GHz with AVX2, in single precision.
constexpr MachineRates rates{.products = 1.5e11, .eigen = 2e9, .thin = 3e10, .sparse = 1e9, .blocks = 1.5e9};
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr double program = 24 << 20;  // bytes

Workload dense(Index rows, Index features) {
  return {.rows = rows, .features = {features, features}, .components = 5, .columns = 9};
}

/// Whether a sentence contains all of these.
bool says(const std::string& sentence, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return sentence.find(part) != std::string::npos; });
}

/// All sizes differ, so that no count passes for another.
const Workload two_views{.rows = 50'000,
                         .features = {300, 200},
                         .components = 5,
                         .columns = 9,
                         .batch = 100,
                         .rank = 30,
                         .first_rows = 1000,
                         .passes = 3};
constexpr double N = 50'000, n1 = 300, n2 = 200, n = n1 + n2, p = 5, c = 9, r = 100, k = 30, first = 1000;
constexpr double steps = N * 3 / r;

/// With one thread, where the seconds of reading and of work add up.
class PlanCounts : public ::testing::Test {
 protected:
  PlanCounts() { set_threads(1); }
  ~PlanCounts() override { set_threads(before_); }

  /// The amount of one kind of work: the seconds it takes at a given rate when everything else takes none.
  static double counted(Cost (*cost)(const Workload&, const MachineRates*), const Workload& work,
                        double MachineRates::*kind) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr MachineRates nothing{infinity, infinity, infinity, infinity, infinity};
    MachineRates one = nothing;
    one.*kind = 1e9;
    return 1e9 * (cost(work, &one).seconds - cost(work, &nothing).seconds);
  }

 private:
  int before_ = threads();
};

TEST_F(PlanCounts, OfExactAreThoseOfCovariancesAndOnePencil) {
  const auto count = [](double MachineRates::*kind, const Workload& work = two_views) {
    return counted(exact_cost<float>, work, kind);
  };
  // Half of each square, as it is symmetric, and the whole of what is between the views: in all N (n1 + n2)^2. Then two
  // factors of both squares, and one applied to as many columns as the smaller view has.
  EXPECT_NEAR(count(&MachineRates::products),
              N * n * n + 2 * (n1 * n1 * n1 + n2 * n2 * n2) + 4 * (n1 * n1 + n2 * n2) * n2, 1e5);
  // The pencil has the size of the smaller view, slightly above the 192 at which the rate is measured.
  EXPECT_NEAR(count(&MachineRates::eigen), n2 * n2 * n2 / std::pow(n2 / 192, 0.75), 1e3);
  // The mean and the covariances: each goes three times through the numbers of a row.
  EXPECT_NEAR(count(&MachineRates::blocks), 2 * 3 * N * n, 1e4);
  EXPECT_EQ(count(&MachineRates::thin), 0);
  EXPECT_EQ(count(&MachineRates::sparse), 0);

  Workload evaluated = two_views;
  evaluated.more_readings = 2;
  EXPECT_NEAR(count(&MachineRates::thin, evaluated), 2 * N * 2 * n * p, 1e5);
  EXPECT_NEAR(count(&MachineRates::blocks, evaluated), 4 * 3 * N * n, 1e4);

  Workload slow = two_views;
  slow.reading = 1e-3;
  slow.statistics = 1e-4;
  EXPECT_NEAR(exact_cost<float>(slow, &rates).seconds - exact_cost<float>(two_views, &rates).seconds,
              N * (2 * 1e-3 + 1e-4), 1e-6);
}

TEST_F(PlanCounts, OfLandingAreThoseOfItsSteps) {
  const auto count = [](double MachineRates::*kind, const Workload& work = two_views) {
    return counted(landing_cost<float>, work, kind);
  };
  // A product of r rows with n x c takes 2 r n c flops. A step needs six, and one with 16 columns for the sizes of the rows;
  // K, of rank k, once at 4 n k c; and ten products of n x c with c x c. Before it K: four products of the first rows with
  // k + 8 columns, and its basis, and twelve Rayleigh-Ritz steps of three products; after it the scores of all rows.
  const double thin_step = 2 * r * n * (6 * c + 16) + 4 * n * k * c + 20 * n * c * c;
  const double pilot = 2 * first * n * (4 * (k + 8) + 36 * c), evaluation = 2 * N * n * c;
  EXPECT_NEAR(count(&MachineRates::thin), steps * thin_step + pilot + evaluation, 1e6);
  // Forty sums of blocks per step; the rows are read for the mean, in three passes and for the scores.
  EXPECT_NEAR(count(&MachineRates::blocks), steps * 40 * n * c + 5 * 3 * N * n, 1e5);
  EXPECT_NEAR(count(&MachineRates::products), 24 * n * k * k, 1e4);
  EXPECT_EQ(count(&MachineRates::eigen), 0);
  EXPECT_EQ(count(&MachineRates::sparse), 0);

  Workload sparse = two_views;  // 12 entries in a row, read instead of n
  sparse.nonzeros = 12;
  EXPECT_NEAR(count(&MachineRates::sparse, sparse),
              12 * (steps * r * (6 * c + 16) + first * (4 * (k + 8) + 36 * c)), 1e4);
  EXPECT_NEAR(count(&MachineRates::blocks, sparse), steps * 40 * n * c + 5 * 3 * N * 12, 1e5);

  Workload kept = two_views;  // read for the mean and to be kept; passes and scores read nothing
  kept.kept = true;
  EXPECT_NEAR(count(&MachineRates::blocks, kept), steps * 40 * n * c + 2 * 3 * N * n, 1e5);
}

TEST_F(PlanCounts, ReadingRunsBesideTheWorkWhereThereAreThreads) {
  Workload slow = two_views;
  slow.reading = 1e-3;  // 50 s per reading, far more than the work takes
  const double alone = exact_cost<float>(slow, &rates).seconds,
               landing_alone = landing_cost<float>(slow, &rates).seconds;
  set_threads(2);
  EXPECT_NEAR(alone - exact_cost<float>(slow, &rates).seconds, N * n * n / rates.products, 1e-9);
  EXPECT_NEAR(landing_alone - landing_cost<float>(slow, &rates).seconds,
              steps * (2 * r * n * (6 * c + 16) + 4 * n * k * c + 20 * n * c * c) / rates.thin +
                  steps * 40 * n * c / rates.blocks + steps * 2e-5 + 2 * N * n * c / rates.thin,
              1e-9);
}

TEST(Plan, BytesAreThoseOfTheMatrices) {
  // Each covariance and a working copy, and six batches of 1024 rows.
  const double squares = 2 * (n1 * n1 + n1 * n2 + n2 * n2);
  EXPECT_EQ(static_cast<double>(exact_cost<float>(two_views, nullptr).bytes),
            program + 4 * (squares + 6 * 1024 * n));
  EXPECT_EQ(static_cast<double>(exact_cost<double>(two_views, nullptr).bytes),
            program + 8 * (squares + 6 * 1024 * n));
  // Thirty blocks of n x c, the sketch with three more of its size, the first rows and six batches.
  const double blocks = 30 * n * c + 4 * n * (k + 8);
  EXPECT_EQ(static_cast<double>(landing_cost<float>(two_views, nullptr).bytes),
            program + 4 * (blocks + (first + 6 * r) * n));
  Workload sparse = two_views;  // values and places of 12 entries, and 16384 rows that are shuffled
  sparse.nonzeros = 12;
  EXPECT_EQ(static_cast<double>(landing_cost<float>(sparse, nullptr).bytes),
            program + 4 * blocks + (first + 6 * r + 16384) * 12 * (4 + 8));
  EXPECT_EQ(exact_cost<float>(sparse, nullptr).bytes, exact_cost<float>(two_views, nullptr).bytes);
}

TEST(Plan, ExactOnlyWhereItFitsInMemory) {
  const Workload work = dense(10'000, 2000);
  const std::uint64_t needed = 4 * (6ull * 2000 * 2000 + 6ull * 1024 * 4000);  // beside the program
  EXPECT_TRUE(make_plan<float>(work, needed, nullptr).exact_is_chosen);
  EXPECT_FALSE(make_plan<float>(work, needed - 1, nullptr).exact_is_chosen);
  EXPECT_FALSE(make_plan<double>(work, needed, nullptr).exact_is_chosen);
  const auto large = make_plan<float>(dense(10'000, 20'000), gibibyte, nullptr);
  EXPECT_FALSE(large.exact_is_chosen);
  EXPECT_TRUE(says(large.reason, {"9.9 GiB", "1.0 GiB", "827 MiB"})) << large.reason;
}

TEST_F(PlanCounts, DecideForTheFasterOfTwoThatFit) {
  // Per row, exact takes 4 n^2 flops of products: 2.7e-11 n^2 seconds at these rates. Four passes of landing take
  // 4 (24 + 14.8) n c flops of thin products, 4 (0.625 n c) numbers of sums and 4 readings more: 7.8e-8 n seconds. The
  // two meet at n = 2900, and a little earlier for the factors and the pencil of exact.
  std::vector<Index> chosen_exact;
  for (Index features = 200; features <= 6000; features += 200) {
    const auto plan = make_plan<float>(dense(60'000, features), gibibyte * 8, &rates);
    EXPECT_EQ(plan.exact_is_chosen, plan.exact.seconds <= plan.landing.seconds);
    if (plan.exact_is_chosen) chosen_exact.push_back(features);
    EXPECT_TRUE(
        says(plan.reason, {"8.0 GiB", time_text(plan.exact.seconds), time_text(plan.landing.seconds)}))
        << plan.reason;
  }
  ASSERT_FALSE(chosen_exact.empty());

  EXPECT_EQ(chosen_exact.size(),
            static_cast<std::size_t>(chosen_exact.back() / 200));  // below one point only
  EXPECT_GE(chosen_exact.back(), 2400);
  EXPECT_LE(chosen_exact.back(), 2800);

  // Each of these turns the choice at a size where it was exact, or landing, before.
  const Index below = chosen_exact.back(), above = below + 200;
  const auto exact = [](const Workload& work, const MachineRates& at = rates) {
    return make_plan<float>(work, gibibyte * 8, &at).exact_is_chosen;
  };
  Workload fewer_passes = dense(60'000, below), more_passes = dense(60'000, above);
  fewer_passes.passes = 2;
  more_passes.passes = 8;
  EXPECT_FALSE(exact(fewer_passes));
  EXPECT_TRUE(exact(more_passes));
  MachineRates one_core = rates,
               sixteen_cores = rates;  // of large products; landing runs in one thread anyway
  one_core.products /= 2, one_core.eigen /= 2;
  sixteen_cores.products *= 8, sixteen_cores.eigen *= 8;
  EXPECT_FALSE(exact(dense(60'000, below), one_core));
  EXPECT_TRUE(exact(dense(60'000, above), sixteen_cores));
  Workload sparse = dense(60'000, below);
  sparse.nonzeros = 20;
  sparse.batch = 1024;
  EXPECT_FALSE(exact(sparse));
}

TEST(Plan, TheMachineIsMeasuredOnlyWhereTheChoiceDependsOnIt) {
  const auto measured = [](const Workload& work, std::uint64_t memory) {
    return says(choose_method<float>(FitMethod::automatic, work, memory).reason, {" about "});
  };
  EXPECT_FALSE(measured(dense(5'000, 100), gibibyte));      // a moment on any machine
  EXPECT_FALSE(measured(dense(10'000, 20'000), gibibyte));  // does not fit
  EXPECT_TRUE(measured(dense(1'000'000, 1000), gibibyte));
  const auto asked = choose_method<float>(FitMethod::exact, dense(1'000'000, 1000), 1);
  EXPECT_EQ(asked.method, FitMethod::exact);
  EXPECT_EQ(asked.reason, "requested");
}

TEST(Plan, RatesOfThisMachineArePossible) {
  // A core does at most 64 flops of single precision in a cycle, at 6 GHz at most. Other programs and sanitizers leave
  // less of that, but not as little as a wrong unit would.
  constexpr double core = 64 * 6e9;
  const double cores = threads();
  const auto measured = measure_machine<float>();
  const auto within = [](double rate, double least, double most) {
    EXPECT_GT(rate, least);
    EXPECT_LT(rate, most);
  };
  within(measured.products, 1e-4 * core, cores * core);
  within(measured.thin, 1e-4 * core, core);
  within(measured.eigen, 1e-5 * core, cores * core / 4);  // more than four flops for each of n^3
  within(measured.sparse, 1e-5 * core, core / 2);         // a multiply-add is two
  within(measured.blocks, 1e-5 * core, core / 2);
}

TEST(Plan, ALookIntoASourceLeavesItAtItsFirstRow) {
  for (const bool known : {true, false}) {
    RowMatrix<double> rows = RowMatrix<double>::Zero(5000, 8);
    rows.col(3).setOnes();
    rows.topRows(2500).col(5).setOnes();
    test::MemorySource<double> source({.rows = rows, .random_access = known, .sparse = true});
    const auto sample = sample_source(source);
    EXPECT_EQ(sample.rows, 5000);
    EXPECT_GE(sample.nonzeros, 1.5);  // of the first rows, which have two
    EXPECT_LE(sample.nonzeros, 2);
    EXPECT_GT(sample.reading, 0);
    Batch<double> batch;
    source.read(1, batch);
    EXPECT_EQ(batch.numbers()[0], 0);
  }
}

TEST(Plan, FilesThatAreMappedAreInMemoryButNotOfTheMethod) {
  const test::TemporaryFolder folder;
  write_npy<float>(folder / "a.npy", gaussian<float>(5000, 100, {1}));
  const auto source = open_source<float>(folder / "a.npy");
  const auto sample = sample_source(*source);
  EXPECT_EQ(sample.held, static_cast<double>(std::filesystem::file_size(folder / "a.npy")));
  EXPECT_GT(sample.statistics, 0);
  Workload work{.rows = 5000, .features = {100}};
  const auto without = make_plan<float>(work, 1 << 20, nullptr);
  work.held = sample.held;
  const auto with = make_plan<float>(work, 1 << 20, nullptr);
  EXPECT_EQ(static_cast<double>(with.exact.bytes - without.exact.bytes), work.held);
  EXPECT_EQ(static_cast<double>(with.landing.bytes - without.landing.bytes), work.held);
  EXPECT_EQ(with.reason, without.reason);
}

TEST(Plan, OfCcaIsMadeFromItsFiles) {
  const RowMatrix<float> left = gaussian<float>(500, 30, {1}), right = gaussian<float>(500, 20, {2});
  landfall::MemorySource<float> a(left), b(right);
  const auto plan = plan_cca<float>(a, b, {.components = 3});
  EXPECT_TRUE(plan.exact_is_chosen);
  EXPECT_GT(plan.exact.seconds, 0);
  EXPECT_GT(plan.landing.seconds, 0);
  EXPECT_EQ(static_cast<double>(plan.exact.bytes),
            program + 8 * (2 * 30 * 30 + 3 * 30 * 20 + 2 * 20 * 20) + 4 * 6 * 1024 * 50);
  // 3 + 15 columns, batches of 512, complete bases of K, all 500 rows first
  EXPECT_EQ(static_cast<double>(plan.landing.bytes),
            program + 4 * (30 * 50 * 18 + 4 * (30 * 38 + 20 * 28) + (500 + 6 * 512) * 50));
  EXPECT_FALSE(plan_cca<float>(a, b, {.components = 3, .method = FitMethod::landing}).exact_is_chosen);
}

TEST(Plan, PassesFollowTheNoiseOfARow) {
  const PassForecast forecast{.rows = 1e5, .first_rows = 8192, .noise = 1000};
  // 0.8 q/N = 8e-3 after the first pass, then 1.5 q/m = 0.18 of it each: two more
  EXPECT_EQ(predicted_passes(forecast), 3);
  PassForecast other = forecast;
  other.first_rows = 2e5;  // all rows
  EXPECT_EQ(predicted_passes(other), 1);
  other = forecast;
  other.values = Vector<double>::Constant(3, 0.99);  // what is left of a correlation near 1 is small
  EXPECT_EQ(predicted_passes(other), 1);
  other.values = Vector<double>::Constant(3, 0.1);
  EXPECT_GT(predicted_passes(other), 3);
  other.most = 4;
  EXPECT_EQ(predicted_passes(other), 4);
  other = forecast;
  other.tolerance = 1e-2;
  EXPECT_EQ(predicted_passes(other), 1);
}

TEST(Plan, PassesOfCcaArePredictedFromItsPilot) {
  for (const double correlation : {0.95, 0.3}) {
    PlantedCca<float> maker(
        {.samples = 20000, .left = 60, .right = 50, .correlations = {correlation, correlation}, .seed = 3});
    Batch<float> x, y;
    maker.read(0, 20000, x, y);
    const RowMatrix<float> a = x.dense().transpose(), b = y.dense().transpose();
    const auto left = [&] { return std::make_unique<landfall::MemorySource<float>>(a); };
    const auto right = [&] { return std::make_unique<landfall::MemorySource<float>>(b); };
    const CcaOptions options{.components = 2, .method = FitMethod::landing};
    const double predicted = plan_cca<float>(*left(), *right(), options).landing.passes;
    const double made = fit_cca<float>(left(), right(), options).passes;
    EXPECT_NEAR(predicted, made, 1) << correlation;
    CcaOptions given = options;
    given.passes = 7;
    EXPECT_EQ(plan_cca<float>(*left(), *right(), given).landing.passes, 7);
  }
}

Workload sized(Index features, Index rank, std::optional<double> nonzeros, std::uint64_t memory) {
  Workload work{.rows = 100'000,
                .features = {features, features},
                .nonzeros = nonzeros,
                .components = 5,
                .columns = 9,
                .batch = 0,
                .rank = rank,
                .first_rows = 0};
  choose_sizes<float>(work, memory);
  return work;
}

TEST(Plan, ShortMemoryMeansFewerFirstRowsAndASmallerSketch) {
  constexpr std::uint64_t plenty = std::uint64_t{2} << 30;
  const Workload usual = sized(400, 0, {}, plenty);
  EXPECT_EQ(usual.batch, 512);
  EXPECT_EQ(usual.first_rows, 8192);
  EXPECT_EQ(usual.ranks, std::vector<Index>(2, 400));  // a complete basis
  EXPECT_EQ(sized(1500, 0, {}, plenty).first_rows, 12'000);
  EXPECT_EQ(sized(400, 30, {}, plenty).ranks, std::vector<Index>(2, 30));
  EXPECT_EQ(sized(20'000, 0, 10, plenty).ranks, std::vector<Index>(2, 64));
  EXPECT_LE(sized(20'000, 0, {}, plenty).ranks[0], 512);
  const Workload tight = sized(20'000, 0, {}, 64 << 20);
  EXPECT_EQ(tight.first_rows, 256);  // the fewest
  EXPECT_LT(tight.rank, 64);
  EXPECT_GE(tight.rank, 8);
}

TEST(Plan, TimesAndAmountsAreShort) {
  EXPECT_EQ(memory_text(1500), "2 KiB");
  EXPECT_EQ(memory_text(3 << 20), "3.0 MiB");
  EXPECT_EQ(memory_text(std::uint64_t{512} << 20), "512 MiB");
  EXPECT_EQ(memory_text(std::uint64_t{2} << 30), "2.0 GiB");
  EXPECT_EQ(time_text(0.123), "0.12 s");
  EXPECT_EQ(time_text(42), "42 s");
  EXPECT_EQ(time_text(200), "3 min 20 s");
  EXPECT_EQ(time_text(7260), "2 h 1 min");
}

}  // namespace landfall::test::plan_test
