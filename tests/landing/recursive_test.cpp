// Means carried along with a moving point, against the means over all samples.
#include <landfall/data/rows/memory_source.hpp>
#include <landfall/landing/adaptive.hpp>
#include <landfall/landing/estimators/recursive.hpp>
#include <landfall/landing/view_samples.hpp>

#include "support.hpp"

namespace landfall::test {
namespace {

constexpr Index kRows = 60, kFirstColumns = 6, kSecondColumns = 4, kDirections = 2;

template <class S>
class Recursive : public Typed<S> {
 protected:
  RowMatrix<S> left_ = gaussian<S>(kRows, kFirstColumns, {1, 1}),
               right_ = gaussian<S>(kRows, kSecondColumns, {1, 2});
  const std::vector<Index> components_{kDirections, kDirections};
  const std::vector<S> ridge_{S(0.1), S(0.2)};
  LinearSamples<S> samples_{{left_, right_}, components_, ridge_, correlation_objective<S>(), 3};
  Point<S> x_{gaussian<S>(kFirstColumns, kDirections, {1, 3}),
              gaussian<S>(kSecondColumns, kDirections, {1, 4})};
  Point<S> gradient_ = x_, bx_ = x_;

  double whole(const Point<S>& x) {
    LinearSamples<S> all({left_, right_}, components_, ridge_, correlation_objective<S>());
    all.begin_pass(0);
    all.draw(kRows);
    return all.evaluate(0, kRows, x, &gradient_, &bx_);
  }
  double error(const RecursiveMean<S>& mean) {
    double square = 0;
    for (std::size_t i = 0; i < 2; ++i)
      square += static_cast<double>((mean.gradient()[i] - gradient_[i]).squaredNorm() +
                                    (mean.bx()[i] - bx_[i]).squaredNorm());
    return std::sqrt(square);
  }
  DataStream<S> stream() const {
    std::vector<SourcePtr<S>> views;
    views.push_back(std::make_unique<landfall::MemorySource<S>>(left_));
    views.push_back(std::make_unique<landfall::MemorySource<S>>(right_));
    return {std::move(views),
            {.batch = 16, .shuffle = {.seed = 3}, .transform = {.centring = Centring::none}}};
  }
};
TYPED_TEST_SUITE(Recursive, Scalars);

TYPED_TEST(Recursive, APointThatStandsStillGetsTheMeanOfEverything) {
  using S = TypeParam;
  RecursiveMean<S> mean(this->samples_.shapes());
  double objective = 0;
  Index seen = 0;
  for (std::uint64_t pass = 0; pass < 2; ++pass) {
    this->samples_.begin_pass(pass);
    while (const Index rows = this->samples_.draw(7)) {  // the last batch has 4
      objective = mean.add(this->samples_, rows, this->x_, 0);
      seen += rows;
      ASSERT_NEAR(mean.variance() * static_cast<double>(seen), 1, 1e-12);
    }
  }
  const double expected = this->whole(this->x_);
  EXPECT_NEAR(objective, expected, static_cast<double>(rounding<S>(S(10), S(100))));
  EXPECT_LT(this->error(mean), static_cast<double>(rounding<S>(S(10), S(100))));
  mean.end_pass(0);
  EXPECT_EQ(mean.variance(), 0);
  EXPECT_LT(this->error(mean), static_cast<double>(rounding<S>(S(10), S(100))));
}

TYPED_TEST(Recursive, BatchesOfAllSamplesAreExactWhereverThePointGoes) {
  using S = TypeParam;
  RecursiveMean<S> mean(this->samples_.shapes());
  for (std::uint64_t pass = 0; pass < 5; ++pass) {
    for (std::size_t i = 0; i < 2; ++i)
      this->x_[i] += S(0.3) * gaussian<S>(this->x_[i].rows(), kDirections, {5 + pass, i});
    this->samples_.begin_pass(pass);
    mean.add(this->samples_, this->samples_.draw(kRows), this->x_, 0.3);
    this->whole(this->x_);
    EXPECT_LT(this->error(mean), static_cast<double>(rounding<S>(S(10), S(100))));
  }
}

TYPED_TEST(Recursive, AtTheEndOfAPassOnlyCarryingIsWrong) {
  // d = 0.001 a step over 9 steps: the estimate of the pass is off by about 0.001 of what a batch is off by,
  // the mean of all batches alone, with x standing where each was drawn, by much more.
  using S = TypeParam;
  RecursiveMean<S> mean(this->samples_.shapes());
  double batch_error = 0;
  for (std::uint64_t pass = 0; pass < 2; ++pass) {
    this->samples_.begin_pass(pass);
    for (std::uint64_t step = 0; const Index rows = this->samples_.draw(7); ++step) {
      for (std::size_t i = 0; i < 2; ++i)
        this->x_[i] += S(0.001) * gaussian<S>(this->x_[i].rows(), kDirections, {9 + step, i});
      mean.add(this->samples_, rows, this->x_, 0.001);
      if (pass == 0 && step == 0) {
        this->whole(this->x_);
        batch_error = this->error(mean);
      }
    }
    mean.end_pass(0);
  }
  this->whole(this->x_);
  EXPECT_GT(batch_error, 0.5);
  EXPECT_LT(this->error(mean), 0.01 * batch_error);
}

TYPED_TEST(Recursive, SamplesOfAStreamAreThoseInMemory) {
  using S = TypeParam;
  auto stream = this->stream();
  StreamSamples<S> samples(stream, this->components_, this->ridge_, correlation_objective<S>(), kRows);
  samples.begin_pass(1);
  this->samples_.begin_pass(1);
  Point<S> gradient = this->x_, bx = this->x_;
  Index seen = 0;
  while (const Index rows = samples.draw(16)) {
    ASSERT_EQ(this->samples_.draw(16), rows);
    for (const auto& [first, last] : {std::pair<Index, Index>{0, rows}, {1, rows - 1}}) {
      const double f = samples.evaluate(first, last, this->x_, &gradient, &bx);
      EXPECT_NEAR(f, this->samples_.evaluate(first, last, this->x_, &this->gradient_, &this->bx_),
                  static_cast<double>(rounding<S>(S(10))));
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_LT((gradient[i] - this->gradient_[i]).norm(), rounding<S>(S(10)));
        EXPECT_LT((bx[i] - this->bx_[i]).norm(), rounding<S>(S(10)));
      }
    }
    seen += rows;
  }
  EXPECT_EQ(seen, kRows);
}

TYPED_TEST(Recursive, KeptRowsAreHandedOutOnceAPass) {
  using S = TypeParam;
  auto stream = this->stream();
  InMemorySamples<S> kept(read_into_memory(stream, 50, 8), this->components_, this->ridge_,
                          correlation_objective<S>());
  EXPECT_EQ(kept.count(), 50);
  EXPECT_EQ(kept.batches().size(), 7U);
  std::vector<Index> sizes;
  kept.begin_pass(0);
  while (const Index rows = kept.draw(1)) sizes.push_back(rows);
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<Index>{2, 8, 8, 8, 8, 8, 8}));
}

}  // namespace
}  // namespace landfall::test
