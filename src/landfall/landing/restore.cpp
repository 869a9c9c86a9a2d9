#include <landfall/landing/restore.hpp>
#include <landfall/linalg/products.hpp>

#include <cmath>
#include <limits>

namespace landfall {

template <class S>
Restoration restore_stiefel(Matrix<S>& x, double epsilon,
                            const std::function<void(const Matrix<S>& x, Matrix<S>& y)>& product) {
  // Each step lifts an eigenvalue q << 1 of X'BX by 9/4, so 120 steps reach down to the smallest normal
  // float.
  constexpr int limit = 120;
  const Index p = x.cols();
  Matrix<S> y(x.rows(), p), gram(p, p), move(x.rows(), p);
  Restoration done;
  const double largest = static_cast<double>(x.cwiseAbs().maxCoeff());
  if (!(largest > 0) || !std::isfinite(largest)) {
    done.from = done.to = std::numeric_limits<double>::infinity();
    return done;
  }
  for (;; ++done.steps) {
    product(x, y);
    multiply_at<S>(x, y, gram);
    const double size = static_cast<double>(gram.norm());
    gram.diagonal().array() -= S(1);
    done.to = static_cast<double>(gram.norm());
    if (done.steps == 0) done.from = done.to;
    // A start inside stays as it is; one that had to be moved ends well inside.
    if (done.to <= (done.steps == 0 ? epsilon : epsilon / 2) || done.steps == limit) return done;
    if (!(size > 0) || !std::isfinite(size)) {
      if (done.steps > 0 || size == 0) return done;
      x /= static_cast<S>(largest);  // X'BX overflowed: try again from unit entries
      continue;
    }
    if (done.steps == 0) {  // every eigenvalue of X'BX is then in (0, 1], and stays there
      x /= static_cast<S>(std::sqrt(size));
    } else {
      multiply<S>(x, gram, move, S(-0.5));
      x += move;
    }
  }
}

template Restoration restore_stiefel<float>(Matrix<float>&, double,
                                            const std::function<void(const Matrix<float>&, Matrix<float>&)>&);
template Restoration restore_stiefel<double>(
    Matrix<double>&, double, const std::function<void(const Matrix<double>&, Matrix<double>&)>&);

}  // namespace landfall
