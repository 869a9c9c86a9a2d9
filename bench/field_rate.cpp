// How near one evaluation of the landing field comes to the speed of a bare matrix product: flops per second
// of Y = B X and Lambda = G C - Y (G'Y - 2 omega H) over those of a product of the same size, n = p = 2000.
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/field.hpp>

#include "timing.hpp"

namespace {

using namespace landfall;

template <class S>
void measure(const char* name) {
  const Index n = 2000, p = 2000;
  const double size = n;
  const int products = 5;  // last about as long as the field, and meet as much of the machine's noise
  const Matrix<S> root = gaussian<S>(n, n, {1, 0}) / static_cast<S>(std::sqrt(size));
  Matrix<S> gram_matrix(n, n);
  gram<S>(root, gram_matrix);
  const DenseOperator<S> b(gram_matrix);
  const Matrix<S> x = gaussian<S>(n, p, {2, 0}) / static_cast<S>(std::sqrt(size)),
                  g = gaussian<S>(n, p, {3, 0});
  Matrix<S> y(n, p), lambda(n, p), c(n, p);
  StiefelField<S> field({.direction = Direction::metric, .normal = Normal::gradient});

  const auto times = bench::interleave({.rounds = 11, .seconds = 35}, {{[&] {
                                                                         b.apply(x, y);
                                                                         field(x, g, y, y, S(0.25), lambda);
                                                                       }},
                                                                       {[&] {
                                                                         for (int i = 0; i < products; ++i)
                                                                           multiply<S>(gram_matrix, x, c);
                                                                       }}});

  // BX: 2n^2p. X'Y, G'Y, G C, Y(...): 2np^2 each. C = Y'Y: np^2, being symmetric.
  const double np = size * static_cast<double>(p), flops = 2 * size * np + 9 * np * static_cast<double>(p);
  const double product = products * 2 * size * np;
  const auto rate = [](double work, double seconds) { return work / seconds * 1e-9; };
  fmt::print("field {}: {:.1f} Gflop/s, product {:.1f} (medians); {:.1f} and {:.1f} (best)\n", name,
             rate(flops, times[0].median), rate(product, times[1].median), rate(flops, times[0].best),
             rate(product, times[1].best));
  bench::report(fmt::format("field_rate.{}", name), flops / product / bench::ratio(times[0], times[1]));
}

}  // namespace

int main() {
  measure<double>("double");
  measure<float>("float");
}
