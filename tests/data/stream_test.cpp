#include <landfall/data/rows/stream.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

template <class S>
class Streams : public Typed<S> {};
TYPED_TEST_SUITE(Streams, Scalars);

template <class S>
std::vector<SourcePtr<S>> open(std::vector<MemoryFile<S>> files) {
  std::vector<SourcePtr<S>> sources;
  for (auto& file : files) sources.push_back(std::make_unique<MemorySource<S>>(std::move(file)));
  return sources;
}

template <class S>
MemoryFile<S> left(Index rows, bool random_access = false) {
  return {.rows = numbered_rows<S>(rows, 2), .name = "left.csv", .random_access = random_access};
}
template <class S>
MemoryFile<S> right(Index rows, bool random_access = false) {
  return {.rows = -numbered_rows<S>(rows, 3), .name = "right.npy", .random_access = random_access};
}

/// Everything a pass delivers, as numbers.
template <class S>
std::vector<S> rows_of_pass(DataStream<S>& stream, std::uint64_t pass, Part part = Part::training) {
  std::vector<S> all;
  stream.begin_pass(pass, part);
  while (stream.next())
    for (std::size_t v = 0; v < stream.views(); ++v) {
      const auto& view = stream.view(v);
      all.push_back(S(view.rows()));
      for (const Index number : view.batch.numbers()) all.push_back(S(number));
      all.insert(all.end(), view.batch.values().begin(), view.batch.values().end());
      all.insert(all.end(), view.mean.begin(), view.mean.end());
    }
  EXPECT_FALSE(stream.next());
  return all;
}

TYPED_TEST(Streams, TwoViewsStayInStep) {
  using S = TypeParam;
  for (const bool left_any : {false, true})
    for (const bool right_any : {false, true})
      for (const Index rows : {1, 99, 100, 1000}) {
        StreamOptions options{.batch = 64, .transform = {.centring = Centring::none}};
        options.shuffle = {.seed = 4, .window = left_any && right_any ? 0 : 100};
        DataStream<S> stream(open<S>({left<S>(rows, left_any), right<S>(rows, right_any)}), options);
        std::vector<Index> seen;
        stream.begin_pass(3);
        while (stream.next()) {
          ASSERT_EQ(stream.view(0).rows(), stream.view(1).rows());
          EXPECT_EQ(stream.view(0).rows(), std::min<Index>(64, rows - static_cast<Index>(seen.size())));
          EXPECT_EQ(stream.view(0).batch.dense().row(0), -stream.view(1).batch.dense().row(0));
          for (const Index number : stream.view(0).batch.numbers()) seen.push_back(number);
        }
        EXPECT_FALSE(stream.next());
        std::ranges::sort(seen);
        std::vector<Index> all(static_cast<std::size_t>(rows));
        std::iota(all.begin(), all.end(), Index{0});
        EXPECT_EQ(seen, all);
      }
}

TYPED_TEST(Streams, TheSameBatchesWithAndWithoutTheThread) {
  using S = TypeParam;
  for (const auto centring : {Centring::none, Centring::exact, Centring::running})
    for (const bool sparse : {false, true}) {
      std::vector<std::vector<S>> results[2];
      for (const bool read_ahead : {false, true}) {
        auto first = left<S>(500), second = right<S>(500, true);
        first.sparse = sparse;
        second.rows(3, 1) = std::numeric_limits<S>::quiet_NaN();
        StreamOptions options{.batch = 33, .read_ahead = read_ahead};
        options.shuffle = {.seed = 4, .held_out = 0.2, .window = 64};
        options.transform = {.centring = centring, .missing = Missing::drop};
        DataStream<S> stream(open<S>({first, second}), options);
        stream.begin_pass(7);  // abandoned: leaves no trace
        stream.next();
        stream.next();
        results[read_ahead].push_back(rows_of_pass(stream, 0, Part::held_out));
        for (std::uint64_t pass = 0; pass < 3; ++pass)
          results[read_ahead].push_back(rows_of_pass(stream, pass));
        results[read_ahead].push_back(rows_of_pass(stream, 0, Part::held_out));
        stream.begin_pass(0);
      }
      EXPECT_EQ(results[0], results[1]);
      EXPECT_NE(results[0][1], results[0][2]);
    }
}

TYPED_TEST(Streams, APassInTheOrderOfTheFile) {
  using S = TypeParam;
  for (const bool any_order : {true, false}) {
    DataStream<S> stream(open<S>({left<S>(1000, any_order), right<S>(1000, any_order)}),
                         {.batch = 64, .shuffle = {.held_out = 0.2, .window = any_order ? 0 : 300}});
    Index last = -1, count = 0;
    stream.begin_pass(in_file_order);
    while (stream.next())
      for (const Index row : stream.view(1).batch.numbers()) {
        EXPECT_GT(row, last);
        last = row;
        ++count;
      }
    stream.begin_pass(0);
    while (stream.next()) count -= stream.view(0).rows();
    EXPECT_EQ(count, 0);
  }
}

TYPED_TEST(Streams, AnotherSizeOfBatchBetweenPasses) {
  using S = TypeParam;
  DataStream<S> stream(open<S>({left<S>(10, true)}), {.batch = 4});
  stream.begin_pass(0);
  ASSERT_TRUE(stream.next());
  EXPECT_EQ(stream.view(0).rows(), 4);
  stream.set_batch(7);
  EXPECT_THROW(stream.next(), UsageError);  // a new pass comes first
  std::vector<Index> sizes, rows;
  stream.begin_pass(0);
  while (stream.next()) {
    sizes.push_back(stream.view(0).rows());
    for (const Index row : stream.view(0).batch.numbers()) rows.push_back(row);
  }
  EXPECT_EQ(sizes, (std::vector<Index>{7, 3}));
  std::sort(rows.begin(), rows.end());
  std::vector<Index> all(10);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(rows, all);
  EXPECT_THROW(stream.set_batch(0), UsageError);
}

TYPED_TEST(Streams, TheMeanIsThatOfTheTrainingRows) {
  using S = TypeParam;
  const ShuffleOptions shuffle{.seed = 4, .held_out = 0.4, .window = 64};
  RowMatrix<S> data = gaussian<S>(300, 3, {9, 0});
  Vector<double> mean = Vector<double>::Zero(3);
  double count = 0;
  for (Index i = 0; i < 300; ++i)
    if (part_of(i, shuffle) == Part::training) {
      mean += data.row(i).transpose().template cast<double>();
      ++count;
    }
  mean /= count;
  for (const auto centring : {Centring::exact, Centring::running}) {
    StreamOptions options{.batch = 50, .shuffle = shuffle, .transform = {.centring = centring}};
    DataStream<S> stream(open<S>({{.rows = data}}), options);
    if (centring == Centring::running) rows_of_pass(stream, 0);  // after a pass it has seen all
    for (const Part part : {Part::training, Part::held_out}) {
      stream.begin_pass(1, part);
      while (stream.next())
        for (Index i = 0; i < stream.view(0).rows(); ++i) {
          const Index number = stream.view(0).batch.numbers()[static_cast<std::size_t>(i)];
          const Vector<S> expected =
              (data.row(number).transpose().template cast<double>() - mean).template cast<S>();
          EXPECT_LE((stream.view(0).batch.dense().col(i) - expected).cwiseAbs().maxCoeff(), rounding<S>(1));
        }
    }
    EXPECT_LE((stream.transform(0).mean() - mean).norm(), 1e-14);
  }
}

TYPED_TEST(Streams, TheRunningMeanIsThatOfTheRowsSoFar) {
  using S = TypeParam;
  // Standard input: read once, never rewound.
  MemoryFile<S> file{.rows = gaussian<S>(300, 3, {9, 0}), .name = "-", .sparse = true, .once = true};
  const RowMatrix<S> data = file.rows;
  DataStream<S> stream(open<S>({file}), {.batch = 50});
  EXPECT_EQ(stream.centring(), Centring::running);
  Vector<double> sum = Vector<double>::Zero(3);
  double count = 0;
  stream.begin_pass(0);
  while (stream.next()) {
    for (const Index number : stream.view(0).batch.numbers())
      sum += data.row(number).transpose().template cast<double>();
    count += double(stream.view(0).rows());
    EXPECT_LE((stream.view(0).mean.template cast<double>() - sum / count).norm(), double(rounding<S>(1)));
  }
  EXPECT_EQ(count, 300);
  EXPECT_EQ(sentence([&] { stream.begin_pass(1); }),
            "-: a second pass over data that can be read only once, expected a file");
  EXPECT_EQ(sentence([&] { stream.next(); }), "a batch was requested before a pass was started");
}

TYPED_TEST(Streams, CentringIsExactWhereTheDataCanBeReadTwice) {
  using S = TypeParam;
  auto once = right<S>(30);
  once.once = true;
  const auto centring = [&](std::vector<MemoryFile<S>> files, TransformOptions transform) {
    return DataStream<S>(open<S>(std::move(files)), {.transform = transform}).centring();
  };
  EXPECT_EQ(centring({left<S>(30)}, {}), Centring::exact);
  EXPECT_EQ(centring({left<S>(30), once}, {}), Centring::running);
  EXPECT_EQ(centring({once}, {.scaling = Scaling::deviation, .missing = Missing::mean}), Centring::running);
  EXPECT_EQ(centring({once}, {.centring = Centring::none}), Centring::none);
  const auto error = [&](TransformOptions transform) {
    return sentence([&] { centring({left<S>(30), once}, transform); });
  };
  const std::string start = "right.npy: can be read only once, but ",
                    end = " requires an extra pass over the data; expected a file, or running centring";
  EXPECT_EQ(error({.centring = Centring::exact}), start + "exact centring" + end);
  EXPECT_EQ(error({.centring = Centring::none, .scaling = Scaling::deviation}),
            start + "scaling without centring" + end);
  EXPECT_EQ(error({.centring = Centring::none, .missing = Missing::mean}),
            start + "the mean of each column" + end);
}

TYPED_TEST(Streams, ARowThatOneViewDropsIsDroppedInBoth) {
  using S = TypeParam;
  constexpr S nan = std::numeric_limits<S>::quiet_NaN();
  auto first = left<S>(100), second = right<S>(100);
  first.rows(10, 0) = second.rows(20, 1) = nan;
  for (Index i = 0; i < 100; ++i) first.labels.push_back(double(i));
  for (const auto centring : {Centring::none, Centring::exact}) {
    StreamOptions options{.batch = 1, .transform = {.centring = centring, .missing = Missing::drop}};
    DataStream<S> stream(open<S>({first, second}), options);
    Index rows = 0;
    Vector<double> sum = Vector<double>::Zero(2);
    stream.begin_pass(0);
    while (stream.next()) {
      ++rows;
      ASSERT_EQ(stream.view(0).rows(), 1);
      ASSERT_EQ(stream.labels().size(), 1u);
      EXPECT_EQ(stream.labels()[0], double(stream.view(0).batch.numbers()[0]));
      EXPECT_NE(stream.labels()[0], 10);
      EXPECT_NE(stream.labels()[0], 20);
      EXPECT_EQ(stream.view(1).batch.numbers()[0], stream.view(0).batch.numbers()[0]);
      sum += stream.view(0).batch.dense().col(0).template cast<double>();
    }
    EXPECT_EQ(rows, 98);
    if (centring == Centring::exact) {
      EXPECT_LE(sum.norm(), double(rounding<S>(100)));  // the mean is that of the rows that stay
    }
  }
}

TYPED_TEST(Streams, DifferentNumbersOfRowsAreNamed) {
  using S = TypeParam;
  const std::string expected =
      "left.csv has 300 rows and right.npy has 301; expected the same number in both";
  for (const bool left_any : {false, true})
    for (const bool right_any : {false, true})
      for (const auto centring : {Centring::none, Centring::exact})
        for (const Index window : {Index{0}, Index{50}, Index{300}})
          for (const double held_out : {0.0, 0.5})
            EXPECT_EQ(
                sentence([&] {
                  StreamOptions options{.batch = 32, .transform = {.centring = centring}};
                  options.shuffle = {.held_out = held_out, .window = window};
                  DataStream<S> stream(open<S>({left<S>(300, left_any), right<S>(301, right_any)}), options);
                  rows_of_pass(stream, 0);
                }),
                expected);
}

TYPED_TEST(Streams, WhatTheReaderThrowsArrivesAndTheNextPassBeginsAnew) {
  using S = TypeParam;
  for (const bool read_ahead : {false, true}) {
    auto file = left<S>(1000, true);
    file.fails_at = Permutation(1000, {0, 0})(500);
    DataStream<S> stream(open<S>({file}),
                         {.batch = 100, .transform = {.centring = Centring::none}, .read_ahead = read_ahead});
    for (int again = 0; again < 2; ++again) {
      stream.begin_pass(0);
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(stream.next());
      for (int i = 0; i < 2; ++i) EXPECT_EQ(sentence([&] { stream.next(); }), "left.csv: the disk is gone");
    }
  }
  auto file = left<S>(1000);
  file.rows(999, 1) = std::numeric_limits<S>::quiet_NaN();
  const std::string expected =
      "left.csv: row 1000, column 2 is NaN; every entry must be finite "
      "(or --missing drop, or --missing mean)";
  for (const auto centring : {Centring::none, Centring::exact})
    EXPECT_EQ(sentence([&] {
                DataStream<S> stream(open<S>({file}), {.transform = {.centring = centring}});
                rows_of_pass(stream, 0);
              }),
              expected);
}

TYPED_TEST(Streams, ThreeViewsStayInStep) {
  using S = TypeParam;
  for (const bool third_any : {false, true})
    for (const double held_out : {0.0, 0.3}) {
      StreamOptions options{.batch = 64, .transform = {.centring = Centring::none}};
      options.shuffle = {.seed = 4, .held_out = held_out, .window = third_any ? 0 : 100};
      const MemoryFile<S> third{
          .rows = 2 * numbered_rows<S>(1000, 4), .name = "third.npy", .random_access = third_any};
      DataStream<S> stream(open<S>({left<S>(1000, true), right<S>(1000, true), third}), options);
      ASSERT_EQ(stream.views(), 3u);
      Index rows = 0;
      for (const Part part : {Part::training, Part::held_out}) {
        stream.begin_pass(1, part);
        for (; stream.next(); rows += stream.view(0).rows())
          for (Index i = 0; i < stream.view(0).rows(); ++i) {
            const auto number = static_cast<S>(stream.view(0).batch.numbers()[static_cast<std::size_t>(i)]);
            EXPECT_EQ(stream.view(0).batch.dense()(0, i), number);
            EXPECT_EQ(stream.view(1).batch.dense()(0, i), -number);
            EXPECT_EQ(stream.view(2).batch.dense()(0, i), 2 * number);
          }
      }
      EXPECT_EQ(rows, 1000);
    }
  for (const bool any : {false, true})
    for (const auto centring : {Centring::none, Centring::exact})
      EXPECT_EQ(sentence([&] {
                  auto third = left<S>(299, any);
                  third.name = "third.npy";
                  DataStream<S> stream(open<S>({left<S>(300, any), right<S>(300, any), third}),
                                       {.batch = 32, .transform = {.centring = centring}});
                  rows_of_pass(stream, 0);
                }),
                "left.csv has 300 rows and third.npy has 299; expected the same number in all");
}

/// Sets the flag when so many rows have been read.
template <class S>
class CancellingSource final : public Source<S> {
 public:
  CancellingSource(Index rows, bool random_access, Index after, CancelFlag cancel)
      : inner_(left<S>(rows, random_access)), after_(after), cancel_(std::move(cancel)) {}

  const std::string& name() const override { return inner_.name(); }
  std::string_view format() const override { return inner_.format(); }
  std::string_view element_type() const override { return inner_.element_type(); }
  std::optional<Index> rows() const override { return inner_.rows(); }
  Index cols() const override { return inner_.cols(); }
  bool random_access() const override { return inner_.random_access(); }
  void rewind() override { inner_.rewind(); }
  Index read(Index count, Batch<S>& batch) override { return note(inner_.read(count, batch)); }
  void read_rows(std::span<const Index> rows, Batch<S>& batch) override {
    inner_.read_rows(rows, batch);
    note(batch.rows());
  }
  static inline Index delivered = 0;  // by the last source

 private:
  Index note(Index rows) {
    delivered += rows;
    if (delivered >= after_) cancel_.request();
    return rows;
  }

  MemorySource<S> inner_;
  Index after_;
  CancelFlag cancel_;
};

TYPED_TEST(Streams, CancellingEndsReadingWithinABatch) {
  using S = TypeParam;
  constexpr Index rows = 100000;
  for (const bool random_access : {false, true})
    for (const bool read_ahead : {false, true})
      for (const auto centring : {Centring::exact, Centring::none}) {
        const CancelFlag cancel = CancelFlag::create();
        std::vector<SourcePtr<S>> views;
        views.push_back(std::make_unique<CancellingSource<S>>(rows, random_access, 3000, cancel));
        CancellingSource<S>::delivered = 0;
        EXPECT_THROW(
            {
              DataStream<S> stream(std::move(views), {.batch = 100,
                                                      .transform = {.centring = centring},
                                                      .read_ahead = read_ahead,
                                                      .cancel = cancel});
              stream.begin_pass(0);
              while (stream.next()) {
              }
            },
            Cancelled);
        // A block of the statistics or of the shuffle's window, or the batches that are read ahead.
        EXPECT_LE(CancellingSource<S>::delivered, 3000 + 1024);
        EXPECT_TRUE(cancel.requested());
      }
}

TYPED_TEST(Streams, CancelledByTheCaller) {
  using S = TypeParam;
  for (const bool read_ahead : {false, true}) {
    const CancelFlag cancel = CancelFlag::create();
    DataStream<S> stream(open<S>({left<S>(1000)}),
                         {.batch = 100, .read_ahead = read_ahead, .cancel = cancel});
    stream.begin_pass(0);
    EXPECT_TRUE(stream.next());
    cancel.request();
    EXPECT_THROW(stream.next(), Cancelled);
    EXPECT_EQ(sentence([&] { stream.next(); }), "cancelled on request");
  }
}

TYPED_TEST(Streams, EndAtAnyMoment) {
  using S = TypeParam;
  for (int batches = -1; batches < 5; ++batches) {  // 30 rows are three batches
    DataStream<S> stream(open<S>({left<S>(30)}), {.batch = 10});
    if (batches >= 0) stream.begin_pass(0);
    for (int i = 0; i < batches; ++i) EXPECT_EQ(stream.next(), i < 3);
  }
}

TEST(Streams, SayWhatIsWrong) {
  const auto error = [](std::vector<MemoryFile<double>> files, StreamOptions options = {}) {
    return sentence([&] { DataStream<double>(open<double>(std::move(files)), options); });
  };
  EXPECT_EQ(error({}), "a stream was given no views, expected at least one");
  EXPECT_EQ(error({left<double>(3)}, {.batch = 0}), "a batch of 0 rows, expected at least 1");
  EXPECT_EQ(error({left<double>(0)}), "left.csv: no rows to train on");
  EXPECT_EQ(error({left<double>(1)}), "left.csv: all 2 columns are constant");
  DataStream<double> stream(open<double>({left<double>(3)}), {});
  EXPECT_EQ(sentence([&] { stream.next(); }), "a batch was requested before a pass was started");
}

}  // namespace
}  // namespace landfall::test
