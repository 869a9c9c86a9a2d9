// Time of one direction and of one retraction against n = p.
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/retraction.hpp>

#include <cmath>
#include <functional>

#include "reproduce/figures.hpp"
#include "reproduce/stopwatch.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct Square {
  Matrix<double> b_matrix, x, g;
  OperatorPtr<double> b;
};

/// Random B with eigenvalues from 1 to about 5, random X and G, all n x n; X'BX about I.
Square square_problem(Index n, std::uint64_t seed) {
  Square out;
  const Matrix<double> factor = gaussian<double>(n, n, {seed, 1});
  out.b_matrix.resize(n, n);
  gram<double>(factor, out.b_matrix);
  out.b_matrix /= static_cast<double>(n);
  out.b_matrix.diagonal().array() += 1;
  out.b = std::make_shared<DenseOperator<double>>(out.b_matrix);
  out.g = gaussian<double>(n, n, {seed, 2});
  out.x = orthonormalize<double>(*out.b, gaussian<double>(n, n, {seed, 3}));
  return out;
}

struct Timed {
  std::string name;
  std::function<void(const Square&)> work;
};

/// A series of seconds for each; their sizes double from 16.
std::vector<Series> measure(const std::vector<Timed>& methods, const ReproduceSettings& settings) {
  std::vector<Series> series;
  for (const auto& method : methods) series.push_back({.name = method.name});
  for (Index n = 16; n <= (settings.quick ? 256 : 4096); n *= 2) {
    const Square problem = square_problem(n, settings.seed);
    for (std::size_t k = 0; k < methods.size(); ++k) {
      series[k].x.push_back(static_cast<double>(n));
      series[k].y.push_back(seconds_per_call([&] { methods[k].work(problem); }, settings.quick ? 0.02 : 0.3));
    }
  }
  return series;
}

Table table_of(const std::vector<Series>& series) {
  Table table{.file = "seconds", .heading = "Seconds", .columns = {"n = p"}};
  for (const auto& one : series) table.columns.push_back(one.name);
  for (std::size_t i = 0; i < series[0].x.size(); ++i) {
    table.rows.push_back({series[0].x[i]});
    for (const auto& one : series) table.rows.back().push_back(one.y[i]);
  }
  return table;
}

/// "2.1, 3.4" times `base` at the largest n.
std::string ratios(const std::vector<Series>& series, std::size_t base) {
  std::string text;
  for (std::size_t k = 0; k < series.size(); ++k)
    if (k != base)
      text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", series[k].name,
                          series[k].y.back() / series[base].y.back());
  return text;
}

/// Whether the first takes half of the time of every other at most.
bool much_cheapest(const std::vector<Series>& series) {
  for (std::size_t k = 1; k < series.size(); ++k)
    if (series[k].y.back() < 2 * series[0].y.back()) return false;
  return true;
}

const char* const how =
    "B, X and the gradient are random and n x n, in double precision; each time is the least of three means "
    "over calls "
    "that fill 0.1 s (0.007 s when quick). The paper's times are those of a GPU, where factorizations are "
    "slow beside "
    "products; these are of a processor with OpenBLAS.";

/// As a chart with logarithmic axes and as a table.
void show_cost(const std::vector<Series>& series, const char* file, const char* title, const char* label,
               Page& page) {
  page.charts.push_back({.file = file,
                         .title = title,
                         .label = label,
                         .x_label = "n = p",
                         .y_label = "seconds",
                         .log_x = true,
                         .log_y = true,
                         .series = series});
  page.tables.push_back(table_of(series));
}

}  // namespace

void run_fig_cost_directions(const ReproduceSettings& settings, Page& page) {
  const auto direction = [](Direction kind, const Square& at, const PreconditionerPtr<double>& inverse) {
    Matrix<double> y(at.x.rows(), at.x.cols());
    at.b->apply(at.x, y);
    tangent_direction<double>({.direction = kind, .preconditioner = inverse}, at.x, at.g, y);
  };
  const std::vector<Timed> methods{
      {"landing Psi_B", [&](const Square& at) { direction(Direction::metric, at, {}); }},
      {"landing Psi_R",
       [&](const Square& at) {
         direction(Direction::riemannian, at, inverse_preconditioner<double>(at.b_matrix));
       }},
      {"PLAM",
       [](const Square& at) {
         Matrix<double> y(at.x.rows(), at.x.cols()), slope(at.x.cols(), at.x.cols()), d = at.g;
         at.b->apply(at.x, y);
         multiply_at<double>(at.x, at.g, slope);
         multiply<double>(y, (slope + slope.transpose()) / -2, d, 1, 1);
       }},
      {"Riemannian", [](const Square& at) {
         Matrix<double> v(at.x.rows(), at.x.cols()), slope(at.x.cols(), at.x.cols());
         inverse_preconditioner<double>(at.b_matrix)->apply(at.g, v);
         multiply_at<double>(at.x, at.g, slope);
         multiply<double>(at.x, (slope + slope.transpose()) / -2, v, 1, 1);
         retract_cholesky<double>(*at.b, at.x, -1e-3 * v);
       }}};
  const auto series = measure(methods, settings);
  page.text = {how,
               "Psi_R and the Riemannian method factor B in every call, as the authors' program does; the "
               "Riemannian one includes its retraction (Cholesky-QR)."};
  page.claims.push_back(
      {"Psi_B is cheaper to compute than Psi_R and than a Riemannian step (n = p)",
       fmt::format("at n = {}, in units of Psi_B: {}", series[0].x.back(), ratios(series, 0)),
       series[0].y.back() < std::min(series[1].y.back(), series[3].y.back())});
  show_cost(series, "directions", "Time of one direction",
            "Seconds for one direction of each method against n = p.", page);
}

void run_fig_cost_retractions(const ReproduceSettings& settings, Page& page) {
  const auto retraction = [](Retraction kind) {
    return [kind](const Square& at) { retract<double>(kind, *at.b, at.x, 1e-3 * at.g); };
  };
  const std::vector<Timed> methods{{"grad N(X)",
                                    [](const Square& at) {
                                      Matrix<double> y(at.x.rows(), at.x.cols());
                                      at.b->apply(at.x, y);
                                      normal_term<double>(Normal::gradient, at.x, y);
                                    }},
                                   {"Cholesky-QR", retraction(Retraction::cholesky)},
                                   {"polar", retraction(Retraction::polar)},
                                   {"SVD-based", retraction(Retraction::svd)}};
  const auto series = measure(methods, settings);
  page.text = {how};
  page.claims.push_back(
      {"grad N(X) is much cheaper than every retraction when n = p, where the bottleneck of a "
       "retraction are its factorizations",
       fmt::format("at n = {}, in units of grad N: {}", series[0].x.back(), ratios(series, 0)),
       much_cheapest(series)});
  show_cost(series, "retractions", "Time of one retraction",
            "Seconds for one retraction, and for grad N(X), against n = p.", page);
}

}  // namespace landfall::app
