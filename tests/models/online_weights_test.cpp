// The laws of weights in endless streams: a weight of 2 is the row twice, a weight of 0 the row left out.
#include <landfall/errors.hpp>
#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/ica/online_ica.hpp>
#include <landfall/models/lda/online_lda.hpp>

#include "support.hpp"
#include <models/online.hpp>

namespace landfall::test::online_weights_test {

constexpr Index kRows = 1200;

struct Stream {
  RowMatrix<double> left, right;
  std::vector<std::string> classes;
  std::vector<double> weights;

  Stream repeated() const {
    std::vector<Index> numbers;
    Stream longer;
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (int k = 0; k < static_cast<int>(weights[i]); ++k) {
        numbers.push_back(static_cast<Index>(i));
        longer.classes.push_back(classes[i]);
      }
    longer.left = left(numbers, Eigen::all);
    longer.right = right(numbers, Eigen::all);
    return longer;
  }
};

/// Weights are 0, 1, 2 or 3 and larger where the third column is: they change every answer. Rows of weight 0 hold no numbers.
Stream stream(Index rows) {
  Stream made{gaussian<double>(rows, 5, {1, 0}), gaussian<double>(rows, 4, {2, 0}), {}, {}};
  made.left.col(0) = made.left.col(0).array().cube();
  made.left.col(2) = made.left.col(2).array().abs() * made.left.col(1).array();
  made.right.leftCols(2) += made.left.leftCols(2);
  for (Index i = 0; i < rows; ++i) {
    const double z = made.left(i, 2);
    made.weights.push_back(z < -1 ? 0 : z < 0 ? 1 : z < 1 ? 2 : 3);
    made.classes.emplace_back(made.left(i, 1) + 0.5 * made.left(i, 3) > 0.3 ? "high"
                              : z > 0.5                                     ? "middle"
                                                                            : "low");
  }
  return made;
}

template <class Model>
void push(Model& model, const Stream& rows, Index first, Index count, bool weighted) {
  const auto left = some_rows<double>(rows.left, first, count),
             right = some_rows<double>(rows.right, first, count);
  const auto at = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
  std::span<const double> weights;
  if (weighted) weights = std::span(rows.weights).subspan(at, size);
  if constexpr (std::is_same_v<Model, OnlineCca<double>>)
    model.partial_fit(left, right, weights);
  else if constexpr (std::is_same_v<Model, OnlineIca<double>>)
    model.partial_fit(left, weights);
  else
    model.partial_fit(left, std::span(rows.classes).subspan(at, size), weights);
}

/// In pieces that are not batches.
template <class Model>
Model pushed(const Stream& rows, const OnlineOptions& options, bool weighted) {
  Model model(options);
  for (Index first = 0; first < rows.left.rows(); first += 170)
    push(model, rows, first, std::min<Index>(170, rows.left.rows() - first), weighted);
  return model;
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// While the first rows are kept, the model is fitted to them exactly.
template <class Model>
class OnlineWeights : public testing::Test {};
using Models = testing::Types<OnlineCca<double>, OnlineIca<double>, OnlineLda<double>>;
TYPED_TEST_SUITE(OnlineWeights, Models);

TYPED_TEST(OnlineWeights, OfTheFirstRowsAreRowsRepeated) {
  const Stream rows = stream(kRows);
  const OnlineOptions options{.components = 2, .relative_ridge = 1e-6, .batch = 64, .first_rows = 100'000};
  const auto weighted = pushed<TypeParam>(rows, options, true).result(),
             expected = pushed<TypeParam>(rows.repeated(), options, false).result(),
             plain = pushed<TypeParam>(rows, options, false).result();
  EXPECT_LT(distance(weighted.views[0].mean, expected.views[0].mean), 1e-12);
  EXPECT_LT(distance(weighted.views[0].weights, expected.views[0].weights), 2e-3);
  EXPECT_GT(distance(plain.views[0].weights, expected.views[0].weights), 2e-2) << "the weights must matter";
  EXPECT_EQ(weighted.samples, std::ranges::count_if(rows.weights, [](double w) { return w > 0; }));
  EXPECT_EQ(weighted.sum_of_weights, static_cast<double>(rows.repeated().left.rows()));
  EXPECT_EQ(plain.sum_of_weights, 0);
}

/// Beyond the first rows the batches are others: the answers agree as those of two streams of the same rows do.
TYPED_TEST(OnlineWeights, ReachLanding) {
  const Stream rows = stream(40'000);
  const OnlineOptions options{.components = 2, .relative_ridge = 1e-6, .batch = 128, .first_rows = 1000};
  const auto weighted = pushed<TypeParam>(rows, options, true).result(),
             expected = pushed<TypeParam>(rows.repeated(), options, false).result(),
             plain = pushed<TypeParam>(rows, options, false).result();
  EXPECT_LT(distance(weighted.views[0].mean, expected.views[0].mean), 1e-2);
  const double off = distance(weighted.views[0].weights, expected.views[0].weights);
  EXPECT_LT(off, 0.05);
  EXPECT_GT(distance(plain.views[0].weights, expected.views[0].weights), 3 * off)
      << "the weights must matter";
}

TYPED_TEST(OnlineWeights, ThatAreOneChangeNothing) {
  Stream rows = stream(6000);
  const OnlineOptions options{.components = 2, .batch = 128, .first_rows = 1000};
  std::ranges::fill(rows.weights, 1.0);
  EXPECT_EQ(pushed<TypeParam>(rows, options, true).result().views[0].weights,
            pushed<TypeParam>(rows, options, false).result().views[0].weights);
}

TYPED_TEST(OnlineWeights, OfZeroLeaveRowsOutWhateverTheyHold) {
  Stream rows = stream(4000);
  const OnlineOptions options{.components = 2, .batch = 128, .first_rows = 1000};
  for (std::size_t i = 0; i < rows.weights.size(); ++i) rows.weights[i] = i % 5 == 0 ? 0 : 1;
  const auto expected = pushed<TypeParam>(rows.repeated(), options, false).result();
  for (Index i = 0; i < 4000; i += 5) {
    rows.left.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    rows.classes[static_cast<std::size_t>(i)] = "nothing";
  }
  const auto found = pushed<TypeParam>(rows, options, true).result();
  EXPECT_EQ(found.views[0].weights, expected.views[0].weights);
  EXPECT_EQ(found.samples, 3200);
}

/// Weights may begin at any time; a state goes on to the same bits.
TYPED_TEST(OnlineWeights, AreInTheState) {
  const Stream rows = stream(6000);
  const OnlineOptions options{.components = 2, .batch = 128, .first_rows = 1000, .saved = true};
  for (const Index middle : {300, 2300}) {
    TypeParam model(options);
    push(model, rows, 0, 250, false);
    push(model, rows, 250, middle - 250, true);
    StateWriter out;
    model.state(out);
    TypeParam restored(options);
    StateReader in(out.bytes());
    restored.state(in);
    for (TypeParam* one : {&model, &restored}) push(*one, rows, middle, 6000 - middle, true);
    EXPECT_EQ(model.result().views[0].weights, restored.result().views[0].weights);
    EXPECT_EQ(model.result().sum_of_weights, restored.result().sum_of_weights);
  }
}

TYPED_TEST(OnlineWeights, ThatAreNoWeightsAreRefused) {
  Stream rows = stream(100);
  TypeParam model(OnlineOptions{.components = 1});
  rows.weights[3] = -1;
  EXPECT_EQ(sentence<DataError>([&] { push(model, rows, 0, 100, true); }),
            "row 4 has the weight -1, expected a finite number of at least 0");
  rows.weights.resize(99);
  const auto left = some_rows<double>(rows.left, 0, 100), right = some_rows<double>(rows.right, 0, 100);
  EXPECT_THROW(model.result(), UsageError);  // nothing was taken
}

}  // namespace landfall::test::online_weights_test
