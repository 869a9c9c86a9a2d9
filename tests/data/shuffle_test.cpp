#include <landfall/data/rows/shuffle.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Shuffle : public Typed<S> {};
TYPED_TEST_SUITE(Shuffle, Scalars);

/// The row numbers of a pass, one batch after the other; checks that each row has the content of its number.
template <class S>
std::vector<Index> visit(ShuffledReader<S>& reader, std::uint64_t pass, Index size,
                         Part part = Part::training) {
  std::vector<Index> order;
  Batch<S> batch;
  reader.begin_pass(pass, part);
  bool ended = false;
  while (reader.read(size, batch) > 0) {
    EXPECT_FALSE(ended) << "only the last batch is short";
    ended = batch.rows() < size;
    for (Index i = 0; i < batch.rows(); ++i) {
      const Index number = batch.numbers()[static_cast<std::size_t>(i)];
      order.push_back(number);
      if (!batch.sparse()) {
        EXPECT_EQ(batch.dense()(0, i), S(number));
      }
      if (!reader.labels().empty()) {
        EXPECT_EQ(reader.labels()[static_cast<std::size_t>(i)], -double(number));
      }
    }
  }
  EXPECT_EQ(reader.read(size, batch), 0);
  return order;
}

template <class S>
std::vector<Index> order_of(Index rows, bool random_access, ShuffleOptions options, std::uint64_t pass,
                            Index size = 16, Part part = Part::training) {
  MemorySource<S> source({.rows = numbered_rows<S>(rows, 2), .random_access = random_access});
  ShuffledReader<S> reader(source, options);
  return visit(reader, pass, size, part);
}

std::vector<Index> sorted(std::vector<Index> rows) {
  std::ranges::sort(rows);
  return rows;
}

std::vector<Index> all_of(Index rows) {
  std::vector<Index> result(static_cast<std::size_t>(rows));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

TYPED_TEST(Shuffle, APassVisitsEachRowOnce) {
  using S = TypeParam;
  for (const bool random_access : {false, true})
    for (const bool sparse : {false, true})
      for (const Index rows : {1, 2, 255, 256, 257, 300, 1000}) {
        MemoryFile<S> file{
            .rows = numbered_rows<S>(rows, 2), .random_access = random_access, .sparse = sparse};
        for (Index i = 0; i < rows; ++i) file.labels.push_back(-double(i));
        MemorySource<S> source(file);
        for (const Index window : {Index{0}, Index{1}, Index{7}, Index{256}, Index{299}}) {
          source.rewind();
          ShuffledReader<S> reader(source, {.seed = 3, .window = window});
          for (std::uint64_t pass = 0; pass < 3; ++pass)
            EXPECT_EQ(sorted(visit(reader, pass, 64)), all_of(rows)) << rows << " rows, window " << window;
        }
      }
}

TYPED_TEST(Shuffle, TheOrderDependsOnSeedAndPassOnly) {
  using S = TypeParam;
  for (const bool random_access : {false, true}) {
    const auto order = order_of<S>(1000, random_access, {.seed = 5, .held_out = 0.2, .window = 100}, 4, 7);
    for (const Index size : {1, 64, 5000})
      EXPECT_EQ(order_of<S>(1000, random_access, {.seed = 5, .held_out = 0.2, .window = 100}, 4, size),
                order);
    // As little memory as will do; and after other passes.
    MemorySource<S> source({.rows = numbered_rows<S>(1000, 2), .random_access = random_access});
    ShuffledReader<S> reader(source,
                             {.seed = 5, .held_out = 0.2, .window = 100, .memory = 100 * 2 * sizeof(S)});
    visit(reader, 9, 10);
    visit(reader, 4, 10, Part::held_out);
    EXPECT_EQ(visit(reader, 4, 10), order);

    EXPECT_NE(order_of<S>(1000, random_access, {.seed = 5, .held_out = 0.2, .window = 100}, 5), order);
    EXPECT_NE(order_of<S>(1000, random_access, {.seed = 6, .held_out = 0.2, .window = 100}, 4), order);
  }
}

TYPED_TEST(Shuffle, ReadingInOrderAndInAnyOrderAgree) {
  using S = TypeParam;
  // Fewer rows than a window: the permutation of all of them. More: the same windows.
  for (const Index rows : {1, 50, 99, 100, 101, 1000})
    for (const Index window : {0, 100})
      EXPECT_EQ(order_of<S>(rows, false, {.seed = 5, .window = window}, 2),
                order_of<S>(rows, true, {.seed = 5, .window = window}, 2))
          << rows << " rows, window " << window;
  const Permutation all(100, {5, 2});
  const auto order = order_of<S>(100, false, {.seed = 5, .window = 100}, 2);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], all(i));
}

TYPED_TEST(Shuffle, ARowStaysLessThanAWindowFromItsPlace) {
  using S = TypeParam;
  Index farthest = 0;
  for (std::uint64_t pass = 0; pass < 20; ++pass) {
    const auto order = order_of<S>(2000, false, {.seed = 1, .window = 128}, pass);
    for (Index i = 0; i < 2000; ++i)
      farthest = std::max(farthest, std::abs(order[static_cast<std::size_t>(i)] - i));
  }
  EXPECT_LT(farthest, 128);
  EXPECT_GT(farthest, 100);
}

/// Pearson's statistic of counts that should be equal exceeds d + 2 sqrt(d t) + 2 t, d = bins - 1, with a
/// probability of at most about exp(-t) (Laurent and Massart's bound for the chi-squared distribution); t =
/// 20.
void expect_uniform(const std::vector<double>& counts) {
  const auto bins = static_cast<double>(counts.size());
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / bins;
  ASSERT_GE(mean, 20);
  double statistic = 0;
  for (const double count : counts) statistic += (count - mean) * (count - mean) / mean;
  const double d = bins - 1, t = 20;
  EXPECT_LE(statistic, d + 2 * std::sqrt(d * t) + 2 * t);
}

TEST(Shuffle, EveryPlaceOfTheWindowIsEquallyLikely) {
  // Windows that are neither the first nor the last have W rows. Where a given row goes in its window, and
  // how far it is moved from the place it had there, over many passes.
  constexpr Index window = 32, rows = 5 * window, passes = 4000;
  MemorySource<double> source({.rows = numbered_rows<double>(rows, 1)});
  ShuffledReader<double> reader(source, {.seed = 11, .window = window});
  for (const Index row : {Index{2 * window}, Index{2 * window + 5}}) {
    std::vector<double> places(window), starts(window), moves(window);
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      const auto order = visit(reader, pass, rows);
      // How long the first window is, by the definition; the order shows it.
      const Index first = std::min<Index>(
          window, 1 + static_cast<Index>(uniform({11, pass}, std::uint64_t{1} << 40) * window));
      EXPECT_EQ(*std::max_element(order.begin(), order.begin() + first), first - 1);
      const Index position = std::ranges::find(order, row) - order.begin();
      const Index place = (position - first) % window, from = (row - first) % window;
      EXPECT_EQ((position - first) / window, (row - first) / window);
      ++places[static_cast<std::size_t>(place)];
      ++starts[static_cast<std::size_t>(from)];
      ++moves[static_cast<std::size_t>((place - from + window) % window)];
    }
    expect_uniform(places);
    expect_uniform(starts);
    expect_uniform(moves);
  }
}

TEST(Shuffle, EveryPlaceIsEquallyLikelyWhereRowsAreReadInAnyOrder) {
  constexpr Index rows = 40, passes = 4000;
  MemorySource<double> source({.rows = numbered_rows<double>(rows, 1), .random_access = true});
  ShuffledReader<double> reader(source, {.seed = 2});
  std::vector<double> places(rows);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const auto order = visit(reader, pass, rows);
    ++places[static_cast<std::size_t>(std::ranges::find(order, 17) - order.begin())];
  }
  expect_uniform(places);
}

TYPED_TEST(Shuffle, HeldOutAndTrainingRowsArePartsOfAllInEveryPass) {
  using S = TypeParam;
  constexpr Index rows = 5000;
  constexpr double fraction = 0.3;
  const ShuffleOptions options{.seed = 8, .held_out = fraction, .window = 512};
  const auto out = sorted(order_of<S>(rows, false, options, 0, 64, Part::held_out));
  // Binomial: the standard error of the fraction is sqrt(f (1 - f) / N).
  EXPECT_NEAR(double(out.size()) / rows, fraction, 4 * std::sqrt(fraction * (1 - fraction) / rows));
  for (const bool random_access : {false, true})
    for (std::uint64_t pass = 0; pass < 3; ++pass) {
      EXPECT_EQ(sorted(order_of<S>(rows, random_access, options, pass, 64, Part::held_out)), out);
      auto both = order_of<S>(rows, random_access, options, pass);
      both.insert(both.end(), out.begin(), out.end());
      EXPECT_EQ(sorted(both), all_of(rows));
    }
  // Another seed holds out other rows.
  EXPECT_NE(sorted(order_of<S>(rows, true, {.seed = 9, .held_out = fraction}, 0, 64, Part::held_out)), out);
}

TYPED_TEST(Shuffle, CountsTheRowsOfBothPartsWhereverItIs) {
  using S = TypeParam;
  for (const bool random_access : {false, true}) {
    MemorySource<S> source({.rows = numbered_rows<S>(1000, 2), .random_access = random_access});
    ShuffledReader<S> reader(source, {.held_out = 0.5, .window = 64});
    Batch<S> batch;
    reader.begin_pass(0);
    EXPECT_EQ(reader.count_rows(), 1000);
    reader.begin_pass(0);
    reader.read(100, batch);
    EXPECT_EQ(reader.count_rows(), 1000);
    visit(reader, 1, 64);
    EXPECT_EQ(reader.count_rows(), 1000);
  }
}

TEST(Shuffle, WindowsFollowFromTheShapeAlone) {
  EXPECT_EQ(default_window(1, false), 65536);
  EXPECT_EQ(default_window(784, false), 10699);
  EXPECT_EQ(default_window(1000000, false), 256);
  EXPECT_EQ(default_window(1000000, true), 16384);
}

TEST(Shuffle, StandardInputIsReadOnce) {
  MemorySource<double> source({.rows = numbered_rows<double>(10, 2), .name = "-", .once = true});
  ShuffledReader<double> reader(source, {});
  EXPECT_EQ(sorted(visit(reader, 0, 3)), all_of(10));
  EXPECT_EQ(sentence([&] { reader.begin_pass(1); }),
            "-: a second pass over data that can be read only once, expected a file");
}

TEST(Shuffle, SaysWhatIsWrong) {
  MemorySource<double> source({.rows = numbered_rows<double>(1000, 2)});
  const auto error = [&](ShuffleOptions options, Index size = 1) {
    return sentence([&] {
      ShuffledReader<double> reader(source, options);
      Batch<double> batch;
      reader.begin_pass(0);
      reader.read(size, batch);
    });
  };
  EXPECT_EQ(error({.held_out = 1}), "a held-out fraction of 1, expected at least 0 and less than 1");
  EXPECT_EQ(error({.held_out = NAN}), "a held-out fraction of nan, expected at least 0 and less than 1");
  EXPECT_EQ(error({.window = -1}), "a window of -1 rows, expected at least 1");
  EXPECT_EQ(error({}, 0), "a batch of 0 rows, expected at least 1");
  EXPECT_EQ(error({.window = 500, .memory = 7999}),
            "left.csv: shuffling 500 rows at a time needs more than the 7999 bytes allowed; expected more "
            "memory or a smaller window");
}

}  // namespace
}  // namespace landfall::test
