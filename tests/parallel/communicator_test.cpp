#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/parallel/communicator.hpp>

#include <array>

#include <gtest/gtest.h>

namespace landfall {
namespace {

using Ptr = std::shared_ptr<Communicator>;

TEST(Communicator, SumsAreThoseOfAllRanksInRankOrder) {
  // 1 is lost beside 1e17 unless the two large terms cancel first: the order shows in the sum.
  const std::array<double, 3> terms{1e17, -1e17, 1};
  std::array<double, 3> sums{};
  run_ranks(3, [&](const Ptr& c) {
    double value = terms[static_cast<std::size_t>(c->rank())];
    for (int repeat = 0; repeat < 100; ++repeat) {
      double sum = value;
      c->sum(std::span(&sum, 1));
      sums[static_cast<std::size_t>(c->rank())] = sum;
      EXPECT_EQ(sum, 1.0);
    }
  });
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

TEST(Communicator, LargestBroadcastGather) {
  run_ranks(3, [&](const Ptr& c) {
    EXPECT_EQ(c->size(), 3);
    std::array<double, 2> values{static_cast<double>(c->rank()), -static_cast<double>(c->rank())};
    c->largest(values);
    EXPECT_EQ(values[0], 2);
    EXPECT_EQ(values[1], 0);

    int number = 7 + c->rank();
    c->broadcast(std::as_writable_bytes(std::span(&number, 1)));
    EXPECT_EQ(number, 7);

    const auto texts = c->gather(std::string(static_cast<std::size_t>(c->rank()), 'x'));
    EXPECT_EQ(texts, c->rank() == 0 ? (std::vector<std::string>{"", "x", "xx"}) : std::vector<std::string>{});
  });
}

TEST(Communicator, ReduceTakesMatricesPointsNumbersAndBlocks) {
  run_ranks(2, [&](const Ptr& c) {
    const float k = static_cast<float>(c->rank() + 1);
    Matrix<float> matrix = Matrix<float>::Constant(3, 2, k);
    Vector<double> vector = Vector<double>::Constant(4, 10 * k);
    Point<float> point{matrix, matrix};
    RowMatrix<double> wide = RowMatrix<double>::Constant(4, 5, k);
    Index rows = c->rank() + 5;
    double value = k;
    reduce(*c, matrix, vector, point, rows, value, wide.block(1, 1, 2, 3));
    EXPECT_EQ(matrix, Matrix<float>::Constant(3, 2, 3));
    EXPECT_EQ(vector, Vector<double>::Constant(4, 30));
    EXPECT_EQ(point[1], matrix);
    EXPECT_EQ(rows, 11);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(wide(1, 1), 3);
    EXPECT_EQ(wide(2, 3), 3);
    EXPECT_EQ(wide(0, 0), k);
    EXPECT_EQ(wide(1, 4), k);
  });
}

TEST(Communicator, OneRankKeepsItsNumbers) {
  Matrix<double> matrix = Matrix<double>::Constant(2, 2, 0.1);
  reduce(serial_communicator(), matrix);
  EXPECT_EQ(matrix, Matrix<double>::Constant(2, 2, 0.1));
  EXPECT_EQ(serial_communicator().gather("a"), std::vector<std::string>{"a"});
}

TEST(Communicator, SharesAddUp) {
  std::array<std::ptrdiff_t, 3> shares{};
  run_ranks(3, [&](const Ptr& c) { shares[static_cast<std::size_t>(c->rank())] = share(*c, 128); });
  EXPECT_EQ(shares[0] + shares[1] + shares[2], 128);
  for (const auto part : shares) EXPECT_NEAR(static_cast<double>(part), 128 / 3.0, 1);
}

TEST(Communicator, ARankThatThrowsEndsTheOthers) {
  const auto work = [](const Ptr& c) {
    if (c->rank() == 1) throw DataError("broken rows");
    double value = 1;
    c->sum(std::span(&value, 1));  // rank 1 never comes
  };
  EXPECT_THROW(run_ranks(2, work), DataError);
}

TEST(Communicator, DifferentSizesAreMisuse) {
  const auto work = [](const Ptr& c) {
    std::vector<double> values(static_cast<std::size_t>(1 + c->rank()));
    c->sum(values);
  };
  EXPECT_THROW(run_ranks(2, work), UsageError);
}

TEST(Communicator, ARankThatEndsEarlyIsMisuse) {
  const auto work = [](const Ptr& c) {
    double value = 1;
    if (c->rank() == 0) c->sum(std::span(&value, 1));
  };
  EXPECT_THROW(run_ranks(2, work), UsageError);
  EXPECT_THROW(run_ranks(0, [](const Ptr&) {}), UsageError);
}

}  // namespace
}  // namespace landfall
