// Covariances against their definition: both triangles, widths around that of a strip, dense and sparse rows.
#include <landfall/models/fit/covariance.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test::covariance_test {

template <class S>
class CovarianceTest : public Typed<S> {};
TYPED_TEST_SUITE(CovarianceTest, Scalars);

template <class S>
void expect_by_definition(const RowMatrix<S>& left, const RowMatrix<S>& right, bool sparse) {
  std::vector<SourcePtr<S>> views;
  for (const auto* rows : {&left, &right})
    views.push_back(std::make_unique<MemorySource<S>>(
        MemoryFile<S>{.rows = *rows, .random_access = true, .sparse = sparse}));
  DataStream<S> stream(std::move(views), {.batch = 32});  // the last one is shorter
  const auto found = covariances(stream);
  const auto centred = [](const RowMatrix<S>& rows) {
    const Matrix<double> wide = rows.template cast<double>();
    return Matrix<double>(wide.rowwise() - wide.colwise().mean());
  };
  const Matrix<double> x = centred(left), y = centred(right);
  const auto count = static_cast<double>(left.rows());
  const auto expect = [&](const Matrix<S>& m, const Matrix<double>& definition) {
    ASSERT_EQ(m.rows(), definition.rows());
    ASSERT_EQ(m.cols(), definition.cols());
    EXPECT_LE((m.template cast<double>() - definition).norm(),
              static_cast<double>(rounding<S>(static_cast<S>(definition.norm()))))
        << left.cols() << " " << right.cols() << " " << sparse;
  };
  EXPECT_EQ(found.rows, left.rows());
  expect(found.within[0], x.transpose() * x / count);
  expect(found.within[1], y.transpose() * y / count);
  expect(found.cross(0, 1), x.transpose() * y / count);
}

TYPED_TEST(CovarianceTest, AreTheSameWithAnyNumberOfThreads) {
  using S = TypeParam;
  const RowMatrix<S> left = gaussian<S>(300, 90, {1, 0}), right = gaussian<S>(300, 71, {1, 1});
  const auto found = [&](int count) {
    const int before = threads();
    set_threads(count);
    ThreadPool pool(count);
    const ThreadPool::Use use(pool);
    std::vector<SourcePtr<S>> views;
    for (const auto* rows : {&left, &right})
      views.push_back(std::make_unique<MemorySource<S>>(MemoryFile<S>{.rows = *rows, .random_access = true}));
    DataStream<S> stream(std::move(views), {.batch = 64});
    auto sums = covariances(stream);
    set_threads(before);
    return sums;
  };
  const auto one = found(1);
  for (const int count : {2, 7}) {
    const auto more = found(count);
    EXPECT_EQ(more.within, one.within);
    EXPECT_EQ(more.between, one.between);
  }
}

TYPED_TEST(CovarianceTest, OfThreeViewsAreThoseOfEachPair) {
  using S = TypeParam;
  std::vector<RowMatrix<S>> files;
  for (const Index width : {7, 4, 5})
    files.push_back(gaussian<S>(100, width, {2, static_cast<std::uint64_t>(width)}));
  const auto found = [&](const std::vector<std::size_t>& which) {
    std::vector<SourcePtr<S>> views;
    for (const std::size_t i : which)
      views.push_back(
          std::make_unique<MemorySource<S>>(MemoryFile<S>{.rows = files[i], .random_access = true}));
    DataStream<S> stream(std::move(views), {.batch = 32});
    return covariances(stream);
  };
  const auto all = found({0, 1, 2});
  ASSERT_EQ(all.between.size(), 3u);
  for (std::size_t j = 1; j < 3; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const auto pair = found({i, j});
      EXPECT_LE((all.cross(i, j) - pair.cross(0, 1)).norm(), rounding<S>(pair.cross(0, 1).norm()));
      EXPECT_LE((all.within[j] - pair.within[1]).norm(), rounding<S>(pair.within[1].norm()));
    }
}

TYPED_TEST(CovarianceTest, TheyAreTheirDefinition) {
  using S = TypeParam;
  for (const Index width : {1, 63, 64, 65, 150}) {
    const RowMatrix<S> left = gaussian<S>(200, width, {1, 0}), right = gaussian<S>(200, 20, {1, 1});
    for (const bool sparse : {false, true}) {
      expect_by_definition<S>(left, right, sparse);
      expect_by_definition<S>(right, left, sparse);
    }
  }
}

}  // namespace landfall::test::covariance_test
