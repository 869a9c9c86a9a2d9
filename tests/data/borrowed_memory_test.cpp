// Sources over memory of the caller and over blocks.
#include <landfall/data/formats/csr_source.hpp>
#include <landfall/data/formats/strided_source.hpp>
#include <landfall/data/rows/block_source.hpp>
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

namespace landfall {
namespace {

template <class T>
const std::byte* bytes(const T* data) {
  return reinterpret_cast<const std::byte*>(data);
}

Matrix<double> rows_of(Source<double>& source) {
  Matrix<double> all(0, source.cols());
  for (Batch<double> batch; source.read(3, batch) > 0;) {
    const Index before = all.rows();
    all.conservativeResize(before + batch.rows(), Eigen::NoChange);
    std::vector<double> row(static_cast<std::size_t>(source.cols()));
    for (Index i = 0; i < batch.rows(); ++i) {
      dense_row<double>(batch, i, row);
      all.row(before + i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), source.cols());
    }
  }
  return all;
}

TEST(StridedSource, ReadsAnyStridesAndByteOrders) {
  std::array<std::int16_t, 24> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int16_t>(i);
  const auto entry = [](Index i, Index j) { return static_cast<double>(6 * i + j); };
  Matrix<double> expected(4, 6);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 6; ++j) expected(i, j) = entry(i, j);
  const StridedArray plain{.data = bytes(numbers.data()),
                           .type = NpyType::i2,
                           .rows = 4,
                           .cols = 6,
                           .row_stride = 12,
                           .col_stride = 2};

  StridedSource<double> source(plain);
  EXPECT_EQ(rows_of(source), expected);
  EXPECT_EQ(source.element_type(), "i2");

  StridedArray turned = plain;  // from the last row and column on
  turned.data = bytes(&numbers[23]);
  turned.row_stride = -12;
  turned.col_stride = -2;
  StridedSource<double> backwards(turned);
  EXPECT_EQ(rows_of(backwards), expected.reverse());

  StridedArray transposed = plain;
  std::swap(transposed.rows, transposed.cols);
  std::swap(transposed.row_stride, transposed.col_stride);
  StridedSource<double> columns(transposed);
  EXPECT_EQ(rows_of(columns), expected.transpose());

  StridedArray repeated = plain;
  repeated.row_stride = 0;
  StridedSource<double> same(repeated);
  EXPECT_EQ(rows_of(same), expected.row(0).replicate(4, 1));

  std::array<std::int16_t, 24> swapped = numbers;
  for (auto& number : swapped)
    number = static_cast<std::int16_t>(__builtin_bswap16(static_cast<std::uint16_t>(number)));
  for (const Index stride : {2, -2}) {
    StridedArray foreign = plain;
    foreign.byte_order = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    foreign.data = bytes(stride > 0 ? swapped.data() : &swapped[5]);
    foreign.col_stride = stride;
    StridedSource<double> read(foreign);
    EXPECT_EQ(rows_of(read), stride > 0 ? expected : Matrix<double>(expected.rowwise().reverse()));
  }
}

TEST(StridedSource, RefusesNothing) {
  const double number = 0;
  EXPECT_THROW(StridedSource<float>({.data = bytes(&number), .rows = 0, .cols = 1}), UsageError);
  EXPECT_THROW(StridedSource<float>({.data = nullptr, .rows = 1, .cols = 1}), UsageError);
}

TEST(CsrSource, SortsAndAddsEntries) {
  const std::vector<float> values{1, 2, 3, 4, 5};
  const std::vector<std::int64_t> columns{3, 0, 3, 1, 2};
  const std::vector<std::int32_t> starts{0, 3, 3, 5};
  const CsrArray array{.values = values.data(),
                       .type = NpyType::f4,
                       .columns = columns.data(),
                       .starts = starts.data(),
                       .wide_columns = true,
                       .rows = 3,
                       .cols = 4,
                       .entries = 5};
  CsrSource<double> source(array);
  EXPECT_TRUE(source.sparse());
  Matrix<double> expected = Matrix<double>::Zero(3, 4);
  expected.row(0) << 2, 0, 0, 4;
  expected.row(2) << 0, 4, 5, 0;
  EXPECT_EQ(rows_of(source), expected);
  Batch<double> batch;
  const std::array<Index, 2> chosen{2, 0};
  source.read_rows(chosen, batch);
  EXPECT_EQ(batch.rows(), 2);
  EXPECT_TRUE(std::ranges::is_sorted(batch.columns().subspan(0, 2)));

  CsrArray few = array;
  few.entries = 4;
  EXPECT_THROW(CsrSource<double>{few}, DataError);
  CsrArray narrow = array;
  narrow.cols = 3;
  CsrSource<double> beyond(narrow);
  EXPECT_THROW(beyond.read(3, batch), DataError);
}

TEST(CsrSource, RefusesWhatCannotBe) {
  const std::vector<double> values{1, 2};
  const std::vector<std::int32_t> columns{0, 1}, starts{0, 1, 2}, descending{0, 2, 1}, negative{-1, 1, 2};
  const CsrArray good{.values = values.data(),
                      .columns = columns.data(),
                      .starts = starts.data(),
                      .rows = 2,
                      .cols = 2};
  const auto with = [&](const auto& change) {
    CsrArray array = good;
    change(array);
    return array;
  };
  EXPECT_THROW(CsrSource<float>{with([](CsrArray& a) { a.rows = 0; })}, UsageError);
  EXPECT_THROW(CsrSource<float>{with([](CsrArray& a) { a.cols = 0; })}, UsageError);
  EXPECT_THROW(CsrSource<float>{with([&](CsrArray& a) { a.starts = descending.data(); })}, DataError);
  EXPECT_THROW(CsrSource<float>{with([&](CsrArray& a) { a.starts = negative.data(); })}, DataError);
  CsrSource<float> source(good);
  Batch<float> batch;
  EXPECT_THROW(source.read(0, batch), UsageError);
  for (const Index row : {Index{-1}, Index{2}})
    EXPECT_THROW(source.read_rows(std::span(&row, 1), batch), UsageError) << row;
}

/// Sparse blocks stay sparse, and blocks of another kind or width are refused.
TEST(BlockSource, BlocksAreAlike) {
  const std::vector<double> values{1, 2};
  const std::vector<std::int32_t> columns{0, 2}, starts{0, 1, 2};
  const auto sparse = [&]() -> SourcePtr<double> {
    return std::make_unique<CsrSource<double>>(CsrArray{
        .values = values.data(), .columns = columns.data(), .starts = starts.data(), .rows = 2, .cols = 3});
  };
  const auto dense = [](Index cols) -> SourcePtr<double> {
    return std::make_unique<MemorySource<double>>(RowMatrix<double>::Ones(2, cols));
  };
  const auto source = [](const std::function<SourcePtr<double>(int)>& block) {
    return BlockSource<double>(
        "blocks", [=] { return [=, k = 0]() mutable { return k < 2 ? block(k++) : SourcePtr<double>(); }; });
  };
  BlockSource<double> both = source([&](int) { return sparse(); });
  EXPECT_TRUE(both.sparse());
  Matrix<double> expected = Matrix<double>::Zero(4, 3);
  expected(0, 0) = expected(2, 0) = 1;
  expected(1, 2) = expected(3, 2) = 2;
  EXPECT_EQ(rows_of(both), expected);
  both.rewind();
  EXPECT_EQ(rows_of(both), expected);
  Batch<double> batch;
  EXPECT_THROW(both.read(0, batch), UsageError);
  for (const bool first : {true, false}) {
    BlockSource<double> mixed = source([&](int k) { return (k == 0) == first ? sparse() : dense(3); });
    EXPECT_THROW(rows_of(mixed), DataError);
  }
  BlockSource<double> wider = source([&](int k) { return dense(3 + k); });
  EXPECT_THROW(rows_of(wider), DataError);
}

TEST(BlockSource, IsTheRowsOfItsBlocks) {
  const RowMatrix<double> rows = RowMatrix<double>::Random(17, 3);
  int begun = 0;
  const auto begin = [&] {
    ++begun;
    return [&, next = Index{0}]() mutable -> SourcePtr<double> {
      if (next >= 17) return nullptr;
      const Index count = std::min<Index>(5, 17 - next);
      auto block = std::make_unique<MemorySource<double>>(RowMatrix<double>(rows.middleRows(next, count)));
      next += count;
      return block;
    };
  };
  BlockSource<double> source("blocks", begin);
  EXPECT_FALSE(source.rows());
  EXPECT_EQ(rows_of(source), rows);
  EXPECT_EQ(source.rows(), 17);
  source.rewind();
  EXPECT_EQ(rows_of(source), rows);
  EXPECT_EQ(begun, 2);
  EXPECT_THROW(BlockSource<double>("none", [] { return [] { return SourcePtr<double>(); }; }), DataError);
  BlockSource<double> other("other", begin, 16);
  EXPECT_THROW(rows_of(other), DataError);
}

}  // namespace
}  // namespace landfall
