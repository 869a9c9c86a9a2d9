// ICA of rows arrive in a stream, against the mixing they were made with.
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/online_ica.hpp>

#include "online.hpp"
#include "support.hpp"

namespace landfall::test::online_ica_test {

template <class S>
RowMatrix<S> mixture(Index samples, Index sources, Matrix<double>* mixing, Index uniform = 0) {
  LaplaceIca<S> maker({.samples = samples, .features = sources, .uniform_sources = uniform});
  Batch<S> batch;
  maker.read(0, samples, batch);
  *mixing = maker.mixing();
  return batch.dense().transpose();
}

template <class S>
void push(OnlineIca<S>& model, const RowMatrix<S>& rows, Index first, Index last,
          const std::vector<Index>& sizes, bool sparse = false) {
  for (std::size_t k = 0; first < last; ++k) {
    const Index count = std::min(sizes[k % sizes.size()], last - first);
    model.partial_fit(some_rows(rows, first, count, sparse));
    first += count;
  }
}

template <class S>
class OnlineIcaTest : public Typed<S> {};
TYPED_TEST_SUITE(OnlineIcaTest, Scalars);

TYPED_TEST(OnlineIcaTest, FindsTheSourcesAndGetsBetterAsRowsCome) {
  using S = TypeParam;
  Matrix<double> mixing;
  const auto rows = mixture<S>(60000, 6, &mixing);
  OnlineIca<S> model({.first_rows = 2048});
  push(model, rows, 0, 3000, {700});
  const double early = amari_distance(model.result().unmixing().template cast<double>(), mixing);
  push(model, rows, 3000, 60000, {700});
  const auto result = model.result();
  const double late = amari_distance(result.unmixing().template cast<double>(), mixing);
  // About (n - 1) / N at best for Laplace sources (ica_test.cpp); what is carried along adds to it.
  EXPECT_LT(early, 4 * 5.0 / 2048);
  EXPECT_LT(late, 4 * 5.0 / 60000);
  EXPECT_LT(late, early);
  EXPECT_EQ(result.samples, 60000 / 1024 * 1024);
  for (Index j = 1; j < 6; ++j) EXPECT_GE(result.negentropy(j - 1), result.negentropy(j));
  const Matrix<double> identity =
      result.unmixing().template cast<double>() * result.mixing.template cast<double>();
  EXPECT_LT((identity - Matrix<double>::Identity(6, 6)).norm(), 1e-2);
}

TEST(OnlineIca, TellsSubGaussianSourcesFromOthersAndLeavesConstantColumnsOut) {
  Matrix<double> mixing;
  const auto mixed = mixture<double>(30000, 5, &mixing, 2);
  RowMatrix<double> rows(30000, 6);
  rows << mixed.leftCols(2), RowMatrix<double>::Constant(30000, 1, 3), mixed.rightCols(3);
  OnlineIca<double> model({.first_rows = 2048});
  push(model, rows, 0, 30000, {1000});
  const auto result = model.result();
  EXPECT_EQ(result.views[0].dropped, std::vector<Index>{2});
  ASSERT_EQ(result.unmixing().rows(), 5);
  EXPECT_EQ(result.unmixing().col(2).norm(), 0);
  Matrix<double> unmixing(5, 5);
  unmixing << result.unmixing().leftCols(2), result.unmixing().rightCols(3);
  EXPECT_LT(amari_distance(unmixing, mixing), 4 * 4.0 / 30000);
  EXPECT_EQ((result.signs.array() < 0).count(), 2);
}

TEST(OnlineIca, HowRowsAreCutMakesNoDifferenceToTheBit) {
  Matrix<double> mixing;
  const auto rows = mixture<float>(3000, 4, &mixing);
  const auto at = [&](Index last, const std::vector<Index>& sizes) {
    OnlineIca<float> model({.batch = 64, .first_rows = 512, .memory = 40 * 4096});
    push(model, rows, 0, last, sizes);
    return model.result().unmixing();
  };
  for (const Index last : {90, 2990}) {
    EXPECT_EQ(at(last, {1}), at(last, {last})) << last;
    EXPECT_EQ(at(last, {1}), at(last, {130, 1, 64, 300})) << last;
  }
}

TEST(OnlineIca, SparseRowsGiveWhatDenseOnesGive) {
  Matrix<double> mixing;
  const auto rows = mixture<double>(3000, 4, &mixing);
  OnlineIca<double> dense({.batch = 128, .first_rows = 512}), sparse({.batch = 128, .first_rows = 512});
  push(dense, rows, 0, 3000, {1000});
  push(sparse, rows, 0, 3000, {1000}, true);
  EXPECT_LT((dense.result().unmixing() - sparse.result().unmixing()).norm(), 1e-6);
}

TEST(OnlineIca, WhatCannotBeIsSaidInOneSentence) {
  Matrix<double> mixing;
  auto rows = mixture<double>(300, 4, &mixing);
  OnlineIca<double> model({.components = 3});
  EXPECT_EQ(sentence<UsageError>([&] { model.result(); }),
            "no rows so far; a result needs at least one batch");
  push(model, rows, 0, 3, {3});
  EXPECT_EQ(sentence<NumericalError>([&] { model.result(); }),
            "3 rows so far, expected at least 4 for p = 3");
  push(model, rows, 3, 300, {300});
  EXPECT_EQ(model.result().unmixing().rows(), 3);
  EXPECT_EQ(sentence<DataError>([&] { push<double>(model, rows.leftCols(2), 0, 5, {5}); }),
            "data: a batch of 2 columns, expected 4 as before");
  rows(7, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sentence<DataError>([&] { push(model, rows, 0, 300, {300}); }),
            "data: row 8, column 3 is NaN; every entry must be finite");
  rows.col(2) = rows.col(0);
  rows.col(3).setOnes();
  OnlineIca<double> poor({.components = 3});
  push(poor, rows, 0, 300, {300});
  EXPECT_EQ(sentence<NumericalError>([&] { poor.result(); }),
            "the first 300 rows have rank 2, expected at least p = 3");
}

}  // namespace landfall::test::online_ica_test
