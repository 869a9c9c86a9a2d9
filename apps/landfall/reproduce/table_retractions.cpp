// Table 1 of the paper: complexities of retractions and of the landing field, with what they take here.
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/retraction.hpp>
#include <landfall/parallel/threads.hpp>

#include <array>
#include <functional>

#include "reproduce/figures.hpp"
#include "reproduce/fit.hpp"
#include "reproduce/stopwatch.hpp"
#include <fmt/format.h>

namespace landfall::app {

void run_table_retractions(const ReproduceSettings& settings, Page& page) {
  const SerialBlas serial;  // so that exponents do not depend on when BLAS begins to use threads
  constexpr Index p = 16, r = 64;
  struct Row {
    std::string name, factorizations, claimed;
    double exponent = 2;  // claimed, in n
    Series seconds{};
  };
  std::vector<Row> rows{{"polar", "inverse square root", "O(n^2 p)", 2},
                        {"SVD-based", "SVD", "O(n^2 p)", 2},
                        {"Cholesky-QR", "Cholesky, inverse", "O(n^2 p)", 2},
                        {"Lambda(X), dense B", "none", "O(n^2 p)", 2},
                        {"Lambda(X), batches of r rows", "none", "O(n p r)", 1}};
  for (Index n = settings.quick ? 128 : 512; n <= (settings.quick ? 1024 : 8192); n *= 2) {
    Matrix<double> b = Matrix<double>::Identity(n, n);
    b.diagonal().setLinSpaced(1, 2);
    const DenseOperator<double> dense(std::move(b));
    const Matrix<double> x = orthonormalize<double>(dense, gaussian<double>(n, p, {settings.seed, 1}));
    const Matrix<double> g = gaussian<double>(n, p, {settings.seed, 2});
    const std::array<Matrix<double>, 3> batches{gaussian<double>(n, r, {settings.seed, 3}),
                                                gaussian<double>(n, r, {settings.seed, 4}),
                                                gaussian<double>(n, r, {settings.seed, 5})};
    StiefelField<double> field({});
    std::array<Matrix<double>, 3> products{g, g, g};
    Matrix<double> scores(r, p), lambda = g;
    const std::vector<std::function<void()>> work{
        [&] { retract_polar<double>(dense, x, 1e-3 * g); }, [&] { retract_svd<double>(dense, x, 1e-3 * g); },
        [&] { retract_cholesky<double>(dense, x, 1e-3 * g); },
        [&] {
          dense.apply(x, products[0]);
          field(x, g, products[0], products[0], 1, lambda);
        },
        [&] {  // xi, zeta and zeta'
          for (std::size_t k = 0; k < 3; ++k) {
            multiply_at<double>(batches[k], x, scores);
            multiply<double>(batches[k], scores, products[k], 1.0 / r);
          }
          field(x, products[0], products[1], products[2], 1, lambda);
        }};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k].seconds.x.push_back(static_cast<double>(n));
      rows[k].seconds.y.push_back(seconds_per_call(work[k], settings.quick ? 0.02 : 0.5));
    }
  }
  page.text = {fmt::format(
      "p = {} and r = {} are fixed while n grows; B is dense. The exponent is that of a power "
      "law in n fitted "
      "to all sizes but the smallest. Times include the product with B and are those of one thread.",
      p, r)};
  Chart chart{.file = "seconds",
              .title = "Time against n",
              .label = "Seconds of one call against n.",
              .x_label = "n",
              .y_label = "seconds",
              .log_x = true,
              .log_y = true};
  Table table{
      .file = "costs",
      .heading = "Costs",
      .columns = {"", "matrix factorizations", "claimed", "claimed exponent in n", "fitted exponent in n",
                  fmt::format("seconds at n = {}", rows[0].seconds.x.back())}};
  for (Row& row : rows) {
    row.seconds.name = row.name;
    const double fitted = fitted_exponent(row.seconds.x, row.seconds.y, 1);
    chart.series.push_back(row.seconds);
    table.rows.push_back(
        {row.name, row.factorizations, row.claimed, row.exponent, fitted, row.seconds.y.back()});
    page.claims.push_back(
        {fmt::format("{} costs {}", row.name, row.claimed),
         fmt::format("exponent of n fitted: {:.2f}, claimed at most {:g}", fitted, row.exponent),
         fitted < row.exponent + 0.4});
  }
  page.claims.push_back(
      {"for n far above p the landing field with batches is much cheaper than every retraction",
       fmt::format(
           "at n = {}: {:.2g} ms against {:.2g} ms of the cheapest retraction", rows[0].seconds.x.back(),
           1e3 * rows[4].seconds.y.back(),
           1e3 * std::min({rows[0].seconds.y.back(), rows[1].seconds.y.back(), rows[2].seconds.y.back()})),
       rows[4].seconds.y.back() <
           std::min({rows[0].seconds.y.back(), rows[1].seconds.y.back(), rows[2].seconds.y.back()})});
  page.charts.push_back(std::move(chart));
  page.tables.push_back(std::move(table));
}

}  // namespace landfall::app
