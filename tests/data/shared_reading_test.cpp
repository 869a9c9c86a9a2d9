// One reading for several users: everyone gets all rows in order, however fast they are, and nobody waits for ever.
#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/data/rows/shared_reading.hpp>

#include <array>
#include <atomic>
#include <thread>

#include "support.hpp"
#include <data/memory_source.hpp>

namespace landfall::test::shared_reading_test {

using Readers = std::vector<SourcePtr<double>>;

struct CountedSource final : ForwardedSource<double> {
  explicit CountedSource(MemoryFile<double> file)
      : ForwardedSource(std::make_unique<MemorySource<double>>(std::move(file))) {}
  Index read(Index count, Batch<double>& batch) override {
    const Index rows = source().read(count, batch);
    rows_read += rows;
    return rows;
  }
  Index rows_read = 0;
};

/// The numbers of the rows of a pass, at most `most` of them, each found to be the row it says it is.
std::vector<Index> pass(Source<double>& source, Index count, Index most) {
  std::vector<Index> numbers;
  Batch<double> batch;
  while (static_cast<Index>(numbers.size()) < most && source.read(count, batch) > 0)
    for (Index i = 0; i < batch.rows(); ++i) {
      const Index number = batch.numbers()[static_cast<std::size_t>(i)];
      numbers.push_back(number);
      std::vector<double> row(static_cast<std::size_t>(source.cols()));
      dense_row<double>(batch, i, row);
      EXPECT_EQ(row[1], static_cast<double>(number) + 0.001);
      if (!source.labels().empty()) {
        EXPECT_EQ(source.labels()[static_cast<std::size_t>(i)], static_cast<double>(2 * number));
      }
    }
  return numbers;
}

std::vector<Index> first_numbers(Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i;
  return numbers;
}

/// use(k, readers) of every user on a thread of its own.
template <class Use>
void run(std::vector<Source<double>*> views, int users, Index window, const Use& use) {
  SharedReading<double> reading(views, users, window);
  std::vector<std::jthread> threads;
  for (int k = 0; k < users; ++k)
    threads.emplace_back([&, k, readers = reading.readers()]() mutable { use(k, std::move(readers)); });
}

TEST(SharedReading, GivesEveryoneAllRowsAndReadsThemOnce) {
  for (const bool sparse : {false, true}) {
    std::vector<double> labels;
    for (int i = 0; i < 5000; ++i) labels.push_back(2 * i);
    CountedSource source({.rows = numbered_rows<double>(5000, 3), .sparse = sparse, .labels = labels});
    run({&source}, 3, 300, [](int k, Readers readers) {
      for (int passes = 0; passes < 3; ++passes) {
        EXPECT_EQ(pass(*readers[0], 100 + 77 * k, 5000), first_numbers(5000));
        readers[0]->rewind();
      }
    });
    EXPECT_EQ(source.rows_read, 3 * 5000);
  }
}

TEST(SharedReading, TakesUsersThatEndPassesEarly) {
  CountedSource left({.rows = numbered_rows<double>(3000, 3)}),
      right({.rows = numbered_rows<double>(3000, 2)});
  run({&left, &right}, 4, 256, [](int k, Readers readers) {
    for (int passes = 0; passes < 4 + k; ++passes) {
      const Index most = passes % 2 == 0 ? 3000 : 400 * (k + passes) % 2900 + 1;
      for (const Index part : {Index{0}, Index{1}}) {  // one view ahead of the other by all it wants
        const auto numbers = pass(*readers[static_cast<std::size_t>(part)], 128, most);
        EXPECT_EQ(numbers, first_numbers(static_cast<Index>(numbers.size())));
        EXPECT_GE(static_cast<Index>(numbers.size()), most);
      }
      for (auto& reader : readers) reader->rewind();
    }
  });
}

TEST(SharedReading, OfRowsInAnyOrder) {
  CountedSource source({.rows = numbered_rows<double>(700, 3), .random_access = true});
  run({&source}, 2, 0, [](int k, Readers readers) {
    EXPECT_EQ(readers[0]->rows(), 700);
    EXPECT_EQ(pass(*readers[0], 99, 700), first_numbers(700));
    readers[0]->rewind();
    EXPECT_EQ(pass(*readers[0], 50, 1).front(), 0);
    Batch<double> batch;
    const std::array<Index, 2> rows{600 - k, 3};
    readers[0]->read_rows(rows, batch);
    EXPECT_EQ(batch.dense()(0, 0), 600 - k);
  });
}

TEST(SharedReading, TellsWhatWentWrong) {
  CountedSource source({.rows = numbered_rows<double>(3000, 3), .fails_at = 1500});
  std::atomic<int> errors = 0;
  run({&source}, 3, 256, [&](int, Readers readers) {
    try {
      pass(*readers[0], 100, 3000);
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "left.csv: the disk is gone");
      ++errors;
    }
  });
  EXPECT_EQ(errors, 3);
}

}  // namespace landfall::test::shared_reading_test
