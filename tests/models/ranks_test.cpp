// Any number of ranks gives the answer of one process, to rounding; all ranks have the same bits, and a run that was saved goes on
// with another number of ranks. Ranks are threads here (run_ranks).
#include <landfall/errors.hpp>
#include <landfall/landing/agreement.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/ica.hpp>

#include <cmath>

#include "classes.hpp"
#include <fmt/format.h>

namespace landfall::test::ranks_test {

using Ranks = std::shared_ptr<Communicator>;
constexpr int kMostRanks = 5;

template <class S>
double tolerance() {
  return sizeof(S) == sizeof(float) ? 1e-6 : 1e-10;
}

/// How the rows are stored.
struct Stored {
  bool random_access = true, sparse = false;
};

template <class S>
SourcePtr<S> source_of(const RowMatrix<S>& rows, Stored stored = {}) {
  return std::make_unique<MemorySource<S>>(
      MemoryFile<S>{.rows = rows, .random_access = stored.random_access, .sparse = stored.sparse});
}

/// Two views that share `shared` directions of decreasing strength.
template <class S>
struct Pair {
  RowMatrix<S> left, right;

  static Pair made(Index rows, Index n, Index m, Index shared = 4) {
    const Matrix<double> z = gaussian<double>(rows, shared, {11, 0});
    const auto view = [&](Index cols, std::uint64_t seed) {
      Matrix<double> mixing = gaussian<double>(shared, cols, {seed, 1});
      for (Index j = 0; j < shared; ++j) mixing.row(j) *= std::pow(0.7, static_cast<double>(j));
      const Matrix<double> all = gaussian<double>(rows, cols, {seed, 2}) + z * mixing;
      return RowMatrix<S>((all.array() + 5).matrix().template cast<S>());
    };
    return {view(n, 21), view(m, 22)};
  }
  Pair part(Index first, Index count) const {
    return {left.middleRows(first, count), right.middleRows(first, count)};
  }
};

/// Calls work on every rank; the results in rank order.
template <class Result, class Work>
std::vector<Result> on_ranks(int ranks, const Work& work) {
  std::vector<Result> results(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](const Ranks& communicator) {
    results[static_cast<std::size_t>(communicator->rank())] = work(communicator);
  });
  return results;
}

template <class S>
CcaResult<S> fit(const Pair<S>& data, CcaOptions options, const Ranks& ranks = {}, Stored stored = {}) {
  options.communicator = ranks;
  return fit_cca<S>(source_of(data.left, stored), source_of(data.right, stored), options);
}

void expect_near(const Vector<double>& a, const Vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index j = 0; j < a.size(); ++j) EXPECT_NEAR(a(j), b(j), tolerance);
}

/// Of the scores with the classes.
Vector<double> squared_correlations(const Vector<double>& eigenvalues) {
  return eigenvalues.array() / (1 + eigenvalues.array());
}

template <class S>
void expect_same(const CcaResult<S>& found, const CcaResult<S>& one, double times = 1) {
  EXPECT_EQ(found.samples, one.samples);
  EXPECT_EQ(found.held_out_samples, one.held_out_samples);
  EXPECT_EQ(found.method_name, one.method_name);
  EXPECT_EQ(found.ridge_rows, one.ridge_rows);
  EXPECT_EQ(found.iterations, one.iterations);
  EXPECT_EQ(found.passes, one.passes);
  expect_near(found.correlations, one.correlations, times * tolerance<S>());
  expect_near(found.regularized, one.regularized, times * tolerance<S>());
  expect_near(found.held_out, one.held_out, times * tolerance<S>());
}

/// The answer of one process from one to five ranks, with the same bits on all of them.
template <class S>
void expect_any_ranks(const Pair<S>& data, const CcaOptions& options, Stored stored = {}, double times = 1) {
  const CcaResult<S> one = fit(data, options, {}, stored);
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    SCOPED_TRACE(ranks);
    const auto found =
        on_ranks<CcaResult<S>>(ranks, [&](const Ranks& r) { return fit(data, options, r, stored); });
    expect_same(found[0], one, times);
    for (const auto& other : found)
      for (std::size_t v = 0; v < 2; ++v) EXPECT_EQ(other.views[v].weights, found[0].views[v].weights);
  }
}

template <class S>
class RanksOfModels : public Typed<S> {};
TYPED_TEST_SUITE(RanksOfModels, Scalars);

TYPED_TEST(RanksOfModels, ExactCca) {
  using S = TypeParam;
  expect_any_ranks(Pair<S>::made(1501, 12, 9),
                   {.components = 3, .method = FitMethod::exact, .held_out = 0.2});
}

TYPED_TEST(RanksOfModels, LandingCca) {
  using S = TypeParam;
  expect_any_ranks(
      Pair<S>::made(9001, 24, 19),
      {.components = 3, .method = FitMethod::landing, .passes = 3, .first_rows = 2000, .held_out = 0.1});
}

/// The other estimators. They end with steps, whose rounding is of the first order in the correlations: in single precision that is
/// a little more than 1e-6. Steps from few rows multiply rounding, so that batches of four, which leave one of five ranks without
/// a row, are for svrg in double precision.
TYPED_TEST(RanksOfModels, Estimators) {
  using S = TypeParam;
  struct Case {
    Estimator estimator;
    Index batch;
    double passes;
  };
  std::vector<Case> cases{
      {Estimator::shared, 256, 10}, {Estimator::split, 256, 10}, {Estimator::svrg, 256, 10}};
  if constexpr (std::is_same_v<S, double>) cases.push_back({Estimator::svrg, 4, 2});
  for (const Case& use : cases) {
    SCOPED_TRACE(fmt::format("{}, batches of {}", to_string(use.estimator), use.batch));
    CcaOptions options{.components = 2,
                       .method = FitMethod::landing,
                       .passes = use.passes,
                       .batch = use.batch,
                       .first_rows = 400,
                       .held_out = 0.1};
    options.landing.estimator = use.estimator;
    expect_any_ranks(Pair<S>::made(1000, 8, 6), options, {}, std::is_same_v<S, float> ? 5 : 1);
  }
}

/// Batches of three rows leave two of five ranks without any.
TYPED_TEST(RanksOfModels, EmptySlices) {
  using S = TypeParam;
  expect_any_ranks(Pair<S>::made(200, 5, 4), {.components = 2,
                                              .method = FitMethod::landing,
                                              .passes = 2,
                                              .batch = 3,
                                              .first_rows = 100,
                                              .guard = 0});
}

TYPED_TEST(RanksOfModels, MissingRows) {
  using S = TypeParam;
  auto data = Pair<S>::made(2000, 8, 6);
  for (Index i = 0; i < 2000; i += 7) data.left(i, i % 8) = std::numeric_limits<S>::quiet_NaN();
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing})
    expect_any_ranks(data, {.components = 2,
                            .method = method,
                            .passes = 2,
                            .batch = 64,
                            .first_rows = 700,
                            .held_out = 0.15,
                            .transform = {.missing = Missing::drop}});
}

/// Every row of some batches is missing: the pass goes on behind them.
TYPED_TEST(RanksOfModels, BatchesWithoutRows) {
  using S = TypeParam;
  auto data = Pair<S>::made(2400, 6, 5);
  for (Index i = 0; i < 2400; ++i)
    if (i % 4 != 0) data.right(i, 0) = std::numeric_limits<S>::quiet_NaN();
  expect_any_ranks(data,
                   {.components = 2,
                    .method = FitMethod::landing,
                    .passes = 5,  // two of steps by two rows multiply rounding; the others end at the optimum
                    .batch = 2,
                    .first_rows = 300,
                    .guard = 0,
                    .transform = {.missing = Missing::drop}});
}

/// Rows that are much larger than the others are spread over batches, and K is told of the largest.
TYPED_TEST(RanksOfModels, HeavyRows) {
  using S = TypeParam;
  auto data = Pair<S>::made(6000, 16, 12);
  for (Index i = 100; i < 6000; i += 101) {
    const S factor = i % 303 == 0 ? S(200) : S(6);
    data.left.row(i) *= factor;
    data.right.row(i) *= factor;
  }
  expect_any_ranks(data, {.components = 3, .method = FitMethod::landing, .passes = 3, .first_rows = 1500});
}

TYPED_TEST(RanksOfModels, ChosenRidge) {
  using S = TypeParam;
  expect_any_ranks(Pair<S>::made(120, 50, 45), {.components = 2, .method = FitMethod::exact});
  expect_any_ranks(Pair<S>::made(150, 200, 170),
                   {.components = 2, .method = FitMethod::exact});  // wider than rows
}

TYPED_TEST(RanksOfModels, SparseRows) {
  using S = TypeParam;
  auto data = Pair<S>::made(4000, 20, 20);
  for (auto* view : {&data.left, &data.right}) *view = (view->array() < S(5.5)).select(S(0), *view);
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing})
    expect_any_ranks(data, {.components = 2, .method = method, .passes = 2, .first_rows = 1000},
                     {.sparse = true});
}

/// A file that must be read in order: every rank reads all of it.
TYPED_TEST(RanksOfModels, TextFiles) {
  using S = TypeParam;
  for (const FitMethod method : {FitMethod::exact, FitMethod::landing})
    expect_any_ranks(Pair<S>::made(3000, 10, 8),
                     {.components = 2, .method = method, .passes = 2, .first_rows = 1000, .held_out = 0.1},
                     {.random_access = false});
}

/// Rows that follow each other on the ranks, some with hardly any.
TYPED_TEST(RanksOfModels, OwnRows) {
  using S = TypeParam;
  const auto data = Pair<S>::made(5000, 14, 11);
  const std::vector<Index> counts{1900, 3, 2500, 597};
  for (const bool text : {false, true})
    for (const FitMethod method : {FitMethod::exact, FitMethod::landing}) {
      const CcaOptions options{.components = 3,
                               .method = method,
                               .tolerance = 1e-4,
                               .first_rows = 2000,
                               .held_out = 0.1,
                               .rank_rows = RankRows::own};
      const CcaResult<S> one = fit(data, options);
      const auto found = on_ranks<CcaResult<S>>(4, [&](const Ranks& r) {
        Index first = 0;
        for (int k = 0; k < r->rank(); ++k) first += counts[static_cast<std::size_t>(k)];
        return fit(data.part(first, counts[static_cast<std::size_t>(r->rank())]), options, r,
                   {.random_access = !text});
      });
      // The rows come in another order, which matters to landing alone.
      const double near = method == FitMethod::exact ? tolerance<S>() : 1e-3;
      EXPECT_EQ(found[0].samples, one.samples);
      EXPECT_EQ(found[0].held_out_samples, one.held_out_samples);
      expect_near(found[0].correlations, one.correlations, near);
      expect_near(found[0].held_out, one.held_out, 10 * near);
      for (const auto& other : found) EXPECT_EQ(other.views[1].weights, found[0].views[1].weights);
    }
}

TYPED_TEST(RanksOfModels, Lda) {
  using S = TypeParam;
  const auto data = made_up_classes<S>(4000, 15, 4, 3, 5);
  const Labels labels = data.labels();
  struct Case {
    FitMethod method;
    double passes;
  };
  for (const Case& use :
       {Case{FitMethod::exact, 1}, Case{FitMethod::landing, 1}, Case{FitMethod::landing, 3}}) {
    LdaOptions options{.method = use.method, .passes = use.passes, .first_rows = 1000, .held_out = 0.2};
    const LdaResult<S> one = fit_lda<S>(source_of(data.rows), labels, options);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
      SCOPED_TRACE(ranks);
      const auto found = on_ranks<LdaResult<S>>(ranks, [&](const Ranks& r) {
        LdaOptions shared = options;
        shared.communicator = r;
        return fit_lda<S>(source_of(data.rows), labels, shared);
      });
      expect_near(squared_correlations(found[0].eigenvalues), squared_correlations(one.eigenvalues),
                  tolerance<S>());
      EXPECT_NEAR(found[0].training_accuracy, one.training_accuracy, 1e-9);
      EXPECT_NEAR(*found[0].held_out_accuracy, *one.held_out_accuracy, 1e-9);
      for (const auto& other : found) EXPECT_EQ(other.views[0].weights, found[0].views[0].weights);
    }
  }
}

/// Each rank knows the names of its own classes; the second has only two of them, in its own numbering.
TYPED_TEST(RanksOfModels, LdaOfOwnRows) {
  using S = TypeParam;
  Classes<S> data = made_up_classes<S>(3000, 10, 3, 3, 6);
  const Index cut = 1000;
  for (Index i = cut; i < 3000; ++i)  // no class 0 behind the cut
    if (data.of[static_cast<std::size_t>(i)] == 0) {
      data.of[static_cast<std::size_t>(i)] = 1;
      data.rows.row(i).array() += S(1);
    }
  const LdaResult<S> one = fit_lda<S>(source_of(data.rows), data.labels(), {.method = FitMethod::exact});
  const auto found = on_ranks<LdaResult<S>>(2, [&](const Ranks& r) {
    const auto split = data.of.begin() + cut;
    std::vector<std::uint32_t> of =
        r->rank() == 0 ? std::vector(data.of.begin(), split) : std::vector(split, data.of.end());
    std::vector<std::string> names{"class 0", "class 1", "class 2"};
    if (r->rank() == 1) {
      names.erase(names.begin());
      for (auto& c : of) --c;
    }
    const RowMatrix<S> rows = r->rank() == 0 ? data.rows.topRows(cut) : data.rows.bottomRows(3000 - cut);
    return fit_lda<S>(source_of(rows), Labels("labels.csv", names, of),
                      {.method = FitMethod::exact, .communicator = r, .rank_rows = RankRows::own});
  });
  for (const auto& result : found) {
    EXPECT_EQ(result.classes, one.classes);
    expect_near(squared_correlations(result.eigenvalues), squared_correlations(one.eigenvalues),
                tolerance<S>());
    EXPECT_NEAR(result.training_accuracy, one.training_accuracy, 1e-9);
  }
}

/// Few rows are iterated over; more are kept in memory; the most are streamed.
TYPED_TEST(RanksOfModels, Ica) {
  using S = TypeParam;
  struct Case {
    Index rows;
    std::uint64_t memory;
  };
  for (const Case& size : {Case{1500, 1 << 30}, Case{9000, 1 << 30}, Case{9000, 1 << 18}}) {
    SCOPED_TRACE(fmt::format("{} rows", size.rows));
    Matrix<double> sources = gaussian<double>(size.rows, 6, {31, 0});
    sources = sources.array().cube();  // heavy tails
    const RowMatrix<S> rows = (sources * gaussian<double>(6, 6, {31, 1})).template cast<S>();
    const IcaOptions options{.passes = size.rows > 5000 ? std::optional(2.0) : std::nullopt,
                             .batch = size.rows > 5000 ? 512 : 0,
                             .first_rows = 3000,
                             .memory = size.memory};
    const IcaResult<S> one = fit_ica<S>(source_of(rows), options);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
      SCOPED_TRACE(ranks);
      const auto found = on_ranks<IcaResult<S>>(ranks, [&](const Ranks& r) {
        IcaOptions shared = options;
        shared.communicator = r;
        return fit_ica<S>(source_of(rows), shared);
      });
      EXPECT_EQ(found[0].samples, one.samples);
      EXPECT_EQ(found[0].method_name, one.method_name);
      expect_near(found[0].negentropy, one.negentropy, tolerance<S>());
      EXPECT_LT(
          amari_distance(found[0].unmixing().template cast<double>(), one.mixing.template cast<double>()),
          tolerance<S>());
      for (const auto& other : found) EXPECT_EQ(other.views[0].weights, found[0].views[0].weights);
    }
  }
}

/// A run of three ranks that was saved within its second pass goes on with three to the same bits, and with any other number
/// to rounding.
TYPED_TEST(RanksOfModels, ResumeWithAnotherNumberOfRanks) {
  using S = TypeParam;
  auto data = Pair<S>::made(6000, 16, 12);
  for (Index i = 100; i < 6000; i += 101) data.left.row(i) *= S(20);  // rows that are kept
  const CcaOptions options{
      .components = 3, .method = FitMethod::landing, .passes = 3, .batch = 256, .first_rows = 1500};
  std::string saved;
  const auto run = [&](int ranks, bool resume) {
    return on_ranks<CcaResult<S>>(ranks, [&](const Ranks& r) {
      CcaOptions own = options;
      int steps = 0;
      if (resume)
        own.checkpoints.resume = saved;
      else
        own.checkpoints = {.due = [&] { return ++steps == 31 && r->rank() == 1; },
                           .save =
                               [&](const std::string& state) {
                                 if (r->rank() == 0) saved = state;
                               }};
      return fit(data, own, r);
    });
  };
  const auto whole = run(3, false);
  ASSERT_FALSE(saved.empty());
  for (const int ranks : {1, 2, 3, 5}) {
    SCOPED_TRACE(ranks);
    const auto resumed = run(ranks, true);
    expect_same(resumed[0], whole[0]);
    for (std::size_t v = 0; v < 2 && ranks == 3; ++v)
      EXPECT_EQ(resumed[2].views[v].weights, whole[0].views[v].weights);
  }
  data.left(5000, 3) += S(0.001);  // one number
  EXPECT_THROW(run(2, true), DataError);
}

TEST(RanksOfRuns, OneRankStopsAll) {
  const auto data = Pair<float>::made(4000, 8, 6);
  const auto found = on_ranks<CcaResult<float>>(3, [&](const Ranks& r) {
    CcaOptions options{.components = 2, .method = FitMethod::landing, .passes = 8, .batch = 128};
    options.observer = [&](const Progress& at) { return r->rank() != 2 || at.iteration < 10; };
    return fit(data, options, r);
  });
  for (const auto& result : found) {
    EXPECT_EQ(result.iterations, 10U);
    EXPECT_EQ(result.termination, Termination::stopped);
  }
}

TEST(RanksOfRuns, PartingRanksAreNoticed) {
  run_ranks(3, [](const Ranks& r) {
    Progress at{.iteration = 7, .objective = 0.1, .infeasibility = 1e-3};
    EXPECT_FALSE(agree(*r, {}, at).stop);
    EXPECT_TRUE(agree(*r, {.save = r->rank() == 1}, at).save);
    if (r->rank() == 2) at.objective = std::nextafter(0.1, 1.0);
    EXPECT_THROW(agree(*r, {}, at), NumericalError);
  });
}

TEST(RanksOfRuns, AnErrorOnOneRankEndsAll) {
  auto data = Pair<double>::made(2000, 6, 5);
  data.left(1999, 2) = std::nan("");
  EXPECT_THROW(
      on_ranks<CcaResult<double>>(3, [&](const Ranks& r) { return fit(data, {.components = 2}, r); }),
      DataError);
}

TEST(RanksOfRuns, BaselinesNeedOneProcess) {
  const auto data = Pair<double>::made(2000, 6, 5);
  EXPECT_THROW(on_ranks<CcaResult<double>>(
                   2, [&](const Ranks& r) { return fit(data, {.components = 2, .baseline = "sgha"}, r); }),
               UsageError);
}

}  // namespace landfall::test::ranks_test
