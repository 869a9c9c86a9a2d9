// An online model that was saved and restored goes on to the same bits.
#include <landfall/errors.hpp>
#include <landfall/models/cca/online_cca.hpp>
#include <landfall/models/ica/online_ica.hpp>
#include <landfall/models/lda/online_lda.hpp>

#include "online.hpp"
#include "support.hpp"

namespace landfall::test::online_state_test {

const OnlineOptions kSaved{.components = 2, .batch = 64, .first_rows = 512, .seed = 3, .saved = true};

/// Restores a copy after `rows` rows, and gives the rest of the rows to both.
template <class Model, class Push>
void expect_same(Index rows, const Push& push) {
  Model through(kSaved), restored(kSaved);
  push(through, 0, rows);
  StateWriter out;
  through.state(out);
  StateReader in(out.bytes());
  restored.state(in);
  push(through, rows, 3000);
  push(restored, rows, 3000);
  EXPECT_EQ(through.result().views[0].weights, restored.result().views[0].weights) << rows;
}

constexpr std::array<Index, 4> kAfter{0, 100, 600, 2001};

TEST(OnlineState, Cca) {
  const RowMatrix<float> x = gaussian<float>(3000, 6, {1, 0}),
                         y = x.leftCols(4) + gaussian<float>(3000, 4, {2, 0});
  for (const Index rows : kAfter)
    expect_same<OnlineCca<float>>(rows, [&](OnlineCca<float>& model, Index first, Index last) {
      model.partial_fit(some_rows(x, first, last - first, false), some_rows(y, first, last - first, false));
    });
}

TEST(OnlineState, Ica) {
  RowMatrix<double> x = gaussian<double>(3000, 3, {1, 0});
  x = x.array().cube().matrix() * gaussian<double>(3, 3, {2, 0});
  for (const Index rows : kAfter)
    expect_same<OnlineIca<double>>(rows, [&](OnlineIca<double>& model, Index first, Index last) {
      model.partial_fit(some_rows(x, first, last - first, false));
    });
}

TEST(OnlineState, Lda) {
  RowMatrix<float> x = gaussian<float>(3000, 5, {1, 0});
  std::vector<std::string> names;
  for (Index i = 0; i < 3000; ++i) {
    names.push_back(std::string(1, static_cast<char>('a' + i % 3)));
    x(i, i % 3) += 2;
  }
  for (const Index rows : kAfter)
    expect_same<OnlineLda<float>>(rows, [&](OnlineLda<float>& model, Index first, Index last) {
      model.partial_fit(
          some_rows(x, first, last - first, true),
          std::span(names).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    });
}

TEST(OnlineState, NeedsTheFirstRows) {
  OnlineCca<float> model({.components = 1});
  StateWriter out;
  EXPECT_THROW(model.state(out), UsageError);
}

}  // namespace landfall::test::online_state_test
