// What one field costs beside one retraction (the paper's cost figure): n = p = 64 to 2048, B and X random.
// X is on the manifold and the step is small, so that no retraction has to repeat itself. Writes a CSV file
// if one is named.
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/field.hpp>
#include <landfall/manifold/retraction.hpp>

#include <array>
#include <cstdio>
#include <limits>

#include "timing.hpp"
#include <malloc.h>

namespace {

using namespace landfall;

constexpr std::array<const char*, 6> names{"normal term", "field, metric", "field, riemannian",
                                           "cholesky",    "polar",         "svd"};

/// B = A'A/n + I/10 for a random A.
Matrix<double> random_metric(Index n) {
  const Matrix<double> a = gaussian<double>(n, n, {1, 0}) / std::sqrt(static_cast<double>(n));
  Matrix<double> b(n, n);
  gram<double>(a, b);
  b.diagonal().array() += 0.1;
  return b;
}

std::vector<bench::Times> measure(Index n) {
  const DenseOperator<double> b(random_metric(n));
  const Matrix<double> x = orthonormalize<double>(b, gaussian<double>(n, n, {2, 0}));
  const Matrix<double> g = gaussian<double>(n, n, {3, 0});
  StiefelField<double> metric({.direction = Direction::metric});
  StiefelField<double> riemannian(
      {.direction = Direction::riemannian, .preconditioner = inverse_preconditioner<double>(b.matrix())});
  Matrix<double> y(n, n), lambda(n, n), back;
  b.apply(x, y);
  Matrix<double> step = project_tangent<double>(x, y, g);
  step *= 0.1 * x.norm() / step.norm();

  const auto field = [&](StiefelField<double>& evaluate) {
    b.apply(x, y);
    evaluate(x, g, y, y, 1, lambda);
  };
  const auto normal_alone = [&] {
    b.apply(x, y);
    lambda.setZero();
    metric.measure(x, y);
    metric.add_normal(x, y, 1, lambda);
  };
  return bench::interleave({.rounds = 60, .seconds = 3},
                           {{normal_alone},
                            {[&] { field(metric); }},
                            {[&] { field(riemannian); }},
                            {[&] { back = retract<double>(Retraction::cholesky, b, x, step); }},
                            {[&] { back = retract<double>(Retraction::polar, b, x, step); }},
                            {[&] { back = retract<double>(Retraction::svd, b, x, step); }}});
}

}  // namespace

int main(int argc, char** argv) {
  // Retractions allocate: let them have the same memory again, not new pages each time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  std::FILE* csv = argc > 1 ? std::fopen(argv[1], "w") : nullptr;
  if (argc > 1 && !csv) {
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
    return 1;
  }
  if (csv) fmt::print(csv, "n,what,median_ms,best_ms,over_field\n");

  fmt::print("milliseconds (and times the metric field), n = p, double, medians\n{:>5}", "n");
  for (const char* name : names) fmt::print("  {:>19}", name);
  fmt::print("\n");
  for (Index n = 64; n <= 2048; n *= 2) {
    const auto times = measure(n);
    fmt::print("{:>5}", n);
    for (std::size_t i = 0; i < names.size(); ++i) {
      fmt::print("  {:>10.3f} ({:>5.2f}x)", 1e3 * times[i].median, bench::ratio(times[i], times[1]));
      if (csv)
        fmt::print(csv, "{},\"{}\",{:.5g},{:.5g},{:.4g}\n", n, names[i], 1e3 * times[i].median,
                   1e3 * times[i].best, bench::ratio(times[i], times[1]));
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (n == 2048) {
      bench::report("normal_over_field", bench::ratio(times[0], times[1]));
      bench::report("cholesky_over_field", bench::ratio(times[3], times[1]));
      bench::report("polar_over_field", bench::ratio(times[4], times[1]));
      bench::report("svd_over_field", bench::ratio(times[5], times[1]));
      bench::report("cholesky_over_normal", bench::ratio(times[3], times[0]));
    }
  }
  if (csv) std::fclose(csv);
}
