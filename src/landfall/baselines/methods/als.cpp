// ALS (Wang et al. 2016; Golub and Zha 1995): alternating least squares, the power method of CCA,
//
//   U <- approximately (S_xx + ridge I)^-1 S_xy V,   its polar factor;   V <- the same with U
//
// with conjugate gradients from the last solution in place of the paper's SVRG.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/conjugate_gradients.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/manifold/retraction.hpp>

namespace landfall {
namespace {

/// S_ii + ridge_i I alone.
template <class S>
CallbackOperator<S> view_metric(const ViewProducts<S>& views, std::size_t i) {
  return {views.features()[i], [&views, i](In<S> x, Out<S> y) {
            Point<S> blocks(2), product;
            blocks[i] = x;
            blocks[1 - i].resize(views.features()[1 - i], 0);
            views.multiply(blocks, &product, nullptr);
            y = product[i];
          }};
}

template <class S>
Result<S> solve_als(const ViewProducts<S>& views, const BaselineOptions<S>& options) {
  const std::array metric{view_metric(views, 0), view_metric(views, 1)};
  const std::shared_ptr<const ViewProducts<S>> unowned(std::shared_ptr<void>(), &views);
  const Pencil<S> pencil = view_pencil<S>(unowned);
  PencilRun<S> run(*pencil.b, options);
  Point<S> u(2), solved(2), bu, cross;
  for (std::size_t i = 0; i < 2; ++i) {
    u[i] = orthonormalize<S>(metric[i],
                             gaussian<S>(views.features()[i], options.components, {options.seed, 0xa15 + i}));
    solved[i] = u[i];
  }
  while (true) {
    views.multiply(u, &bu, &cross);
    const S root = std::sqrt(S(0.5));  // [U; V] is B-orthonormal up to that
    if (!run.goes_on(root * stacked(u), -root * stacked(cross), root * stacked(bu))) return run.finish(u);
    for (std::size_t i = 0; i < 2; ++i) {
      if (i == 1) {
        Point<S> left{u[0], Matrix<S>(u[1].rows(), 0)};
        views.multiply(left, nullptr, &cross);
      }
      conjugate_gradients<S>(metric[i], cross[i], solved[i], {.steps = 8});
      // The polar factor, with which U'S_xy V is symmetric: columns need not converge one by one.
      u[i] = retract_polar<S>(metric[i], solved[i], Matrix<S>::Zero(solved[i].rows(), solved[i].cols()));
      // The next right side is that for U in a new basis; so is the start.
      solved[i] = u[i] * (u[i].transpose() * cross[i]);
    }
  }
}

}  // namespace

std::vector<Baseline> als_methods() {
  return {{.name = "als",
           .text = "alternating least squares with warm-started conjugate gradients",
           .source = "Wang, Wang, Garber and Srebro 2016",
           .memory = "10 n p",
           .views = {solve_als<float>, solve_als<double>}}};
}

}  // namespace landfall
