// The choice between exact covariances and landing, and what it is made from.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/plan.hpp>

#include "support.hpp"
#include <data/memory_source.hpp>
#include <data/temporary_folder.hpp>

namespace landfall::test {
namespace {

constexpr MachineRates rates{.products = 1e11, .eigen = 1e9, .thin = 1e10, .sparse = 1e9, .blocks = 1e9};
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

Workload dense(Index rows, Index features) {
  return {.rows = rows, .features = {features, features}, .components = 5, .columns = 9};
}

TEST(Plan, ExactOnlyWhereItFitsInMemory) {
  const auto small = make_plan<float>(dense(10'000, 100), gibibyte, nullptr);
  EXPECT_TRUE(small.exact_is_chosen);
  const auto large = make_plan<float>(dense(10'000, 20'000), gibibyte, nullptr);
  EXPECT_FALSE(large.exact_is_chosen);
  // three covariances and as many working copies
  EXPECT_GT(large.exact.bytes, 6u * 20'000 * 20'000 * sizeof(float));
  EXPECT_LT(large.landing.bytes, large.exact.bytes / 4);
  EXPECT_TRUE(large.reason.starts_with("exact covariances need 9.")) << large.reason;
  EXPECT_TRUE(make_plan<float>(dense(10'000, 20), 1 << 20, nullptr).exact_is_chosen);
  EXPECT_GT(make_plan<double>(dense(10'000, 20'000), gibibyte, nullptr).exact.bytes,
            19 * large.exact.bytes / 10);
}

TEST(Plan, TheFasterOfTwoThatFit) {
  EXPECT_TRUE(make_plan<float>(dense(60'000, 400), gibibyte, &rates).exact_is_chosen);
  const auto wide = make_plan<float>(dense(60'000, 5000), gibibyte * 8, &rates);
  EXPECT_FALSE(wide.exact_is_chosen);
  EXPECT_GT(wide.exact.seconds, wide.landing.seconds);
  EXPECT_NE(wide.reason.find(time_text(wide.landing.seconds)), std::string::npos) << wide.reason;
}

TEST(Plan, CostsGrowWithTheWork) {
  const Workload work = dense(50'000, 300);
  const auto longer = [&](auto change) {
    Workload more = work;
    change(more);
    return more;
  };
  const double exact = exact_cost<float>(work, &rates).seconds,
               landing = landing_cost<float>(work, &rates).seconds;
  // N (n^2 + n^2 + 2 n^2) flops of covariances are most of it
  EXPECT_NEAR(exact, 50'000 * 4 * 9e4 / 1e11, 0.5 * exact);
  const auto rows = longer([](Workload& w) { w.rows *= 10; });
  EXPECT_GT(exact_cost<float>(rows, &rates).seconds, 5 * exact);
  EXPECT_GT(landing_cost<float>(rows, &rates).seconds, 5 * landing);
  const auto passes = longer([](Workload& w) { w.passes *= 4; });
  EXPECT_EQ(exact_cost<float>(passes, &rates).seconds, exact);
  EXPECT_GT(landing_cost<float>(passes, &rates).seconds, 2 * landing);
  const auto slow = longer([](Workload& w) { w.reading = 1e-3; });
  EXPECT_GT(exact_cost<float>(slow, &rates).seconds, 100);  // mean and covariances, 50 s each
  const auto sparse = longer([](Workload& w) { w.nonzeros = 6; });
  EXPECT_LT(landing_cost<float>(sparse, &rates).seconds, landing);
}

TEST(Plan, RatesOfThisMachineAreNumbers) {
  const auto measured = measure_machine<float>();
  for (const double rate :
       {measured.products, measured.eigen, measured.thin, measured.sparse, measured.blocks}) {
    EXPECT_GT(rate, 1e5);
    EXPECT_LT(rate, 1e15);
  }
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
  EXPECT_GT(plan.landing.seconds, plan.exact.seconds);
  EXPECT_FALSE(plan_cca<float>(a, b, {.components = 3, .method = FitMethod::landing}).exact_is_chosen);
}

Workload sized(Index features, Index rank, std::optional<double> nonzeros, std::uint64_t memory) {
  Workload work{.rows = 100'000,
                .features = {features, features},
                .nonzeros = nonzeros,
                .components = 5,
                .columns = 9,
                .batch = 0,
                .rank = rank};
  choose_sizes<float>(work, memory);
  return work;
}

TEST(Plan, ShortMemoryMeansFewerFirstRowsAndASmallerSketch) {
  constexpr std::uint64_t plenty = std::uint64_t{2} << 30;
  const Workload usual = sized(400, 0, {}, plenty);
  EXPECT_EQ(usual.batch, 128);
  EXPECT_EQ(usual.first_rows, 4096);
  EXPECT_EQ(usual.rank, 64);
  EXPECT_EQ(usual.most_rank, 256);  // twice the batch
  EXPECT_EQ(sized(400, 30, {}, plenty).most_rank, 30);
  EXPECT_EQ(sized(400, 0, 10, plenty).most_rank, 64);
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

}  // namespace
}  // namespace landfall::test
