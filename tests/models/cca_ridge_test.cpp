// The choice of an automatic ridge, apart from the fits that use it.
#include <landfall/linalg/random.hpp>
#include <landfall/models/cca/ridge_choice.hpp>
#include <landfall/models/fit/defaults.hpp>

#include <data/centred_batch.hpp>
#include <support.hpp>

namespace landfall::test::cca_ridge_test {

/// Rows of two views with one variable in common.
InMemoryBatches<float> rows_of(Index count, Index columns) {
  const Matrix<float> shared = gaussian<float>(count, 1, {1});
  InMemoryBatches<float> result(1);
  for (const std::uint64_t view : {2, 3})
    result[0].push_back(batch_of<float>(gaussian<float>(count, columns, {view}) +
                                        shared * Matrix<float>::Constant(1, columns, 0.3f)));
  return result;
}

TEST(CcaRidge, FirstRowsAreFewWhereColumnsAreMany) {
  EXPECT_FALSE(few_first_rows(100'000, 2'000, 1'000));
  EXPECT_FALSE(few_first_rows(100'000, 6'000, 3'000));
  EXPECT_TRUE(few_first_rows(400'000, 40'000, 20'000));
  EXPECT_TRUE(few_first_rows(700, 1'000, 500));
}

constexpr std::uint64_t kMemory = std::uint64_t{2} << 30;

// Enough rows in all for the plain answer, but not among the first ones that landing solves.
TEST(CcaRidge, FewFirstRowsGetOneThatFades) {
  const CcaColumns wide{.rows = 200'000, .all = 12'000, .widest = 6'000};
  Index asked = 0;
  const auto read = [&](Index rows) {
    asked = rows;
    return rows_of(200, 6'000);
  };
  EXPECT_EQ(choose_cca_ridge<float>(wide, 1, kMemory, read).rows, 0) << "the answer has none";
  EXPECT_EQ(asked, 0) << "nothing is read";
  const double fading = choose_fading_ridge<float>(wide, 1, kMemory, read);
  EXPECT_GT(asked, 0);
  EXPECT_GT(fading, 0);

  const CcaColumns narrow{.rows = 200'000, .all = 2'000, .widest = 1'000, .kurtosis = 3 * 2'000};
  asked = 0;
  EXPECT_EQ(choose_fading_ridge<float>(narrow, 1, kMemory, read), 0);
  EXPECT_EQ(asked, 0) << "nothing is read";

  // Where all rows are few, the ridge stays.
  const CcaColumns few{.rows = 8'000, .all = 12'000, .widest = 6'000};
  const RidgeChoice lasting = choose_cca_ridge<float>(few, 1, kMemory, read);
  EXPECT_EQ(lasting.rows, fading);
  EXPECT_EQ(lasting.reason, "8000 rows are few for 12000 columns");
}

// A column that is 0 in most rows has a large kurtosis, and of 8192 first rows few tell its variance.
TEST(CcaRidge, FirstRowsAreFewWhereColumnsAreMostlyZero) {
  const auto read = [](Index) { return rows_of(200, 100); };
  CcaColumns columns{.rows = 20'000, .all = 200, .widest = 100, .kurtosis = 70. * 200};
  EXPECT_EQ(choose_fading_ridge<float>(columns, 1, kMemory, read), 0) << "117 of the first rows";
  columns.kurtosis = 100. * 200;
  EXPECT_GT(choose_fading_ridge<float>(columns, 1, kMemory, read), 0) << "82 of them";
  columns.rows = 8'000;
  EXPECT_EQ(choose_fading_ridge<float>(columns, 1, kMemory, read), 0) << "the first rows are all rows";
}

}  // namespace landfall::test::cca_ridge_test
