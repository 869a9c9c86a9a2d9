// AppGrad (Ma, Lu and Foster 2015): gradient steps of two least-squares problems on pairs that are not
// normalised, each towards the normalised pair of the other view. Normalising the pair itself breaks it.
//
//   U~ <- U~ - eta [(S_xx + ridge I) U~ - S_xy V],   U = U~ (U~'(S_xx + ridge I)U~)^-1/2
//   V~ <- V~ - eta [(S_yy + ridge I) V~ - S_yx U],   V = V~ (V~'(S_yy + ridge I)V~)^-1/2
//
// The stochastic form takes the gradient from a batch and the normaliser from a larger sample, which is
// biased; here from a running mean of the batches' p x p Gram matrices. The published code adds the ridge to
// the p x p matrix instead, which is not the ridge of the problem. eta = 1/lambda_1 of each view.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/baselines/pencil_run.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/linalg/symmetric.hpp>

namespace landfall {
namespace {

template <class S>
Matrix<S> gram_inverse_root(const Matrix<S>& m) {
  SymmetricEigen<S> eigen;
  eigen.compute(m);
  return eigen.inverse_root();
}

template <class S>
Result<S> solve_appgrad(const ViewProducts<S>& views, const BaselineOptions<S>& options) {
  const std::shared_ptr<const ViewProducts<S>> unowned(std::shared_ptr<void>(), &views);
  const Pencil<S> pencil = view_pencil<S>(unowned);
  PencilRun<S> run(*pencil.b, options);
  const S eta =
      options.step > 0 ? static_cast<S>(options.step) : 1 / largest_eigenvalue(*pencil.b, options.seed);

  Point<S> u(2), loose(2), within, cross;  // U and V; U~ and V~
  for (std::size_t i = 0; i < 2; ++i) {
    u[i] = gaussian<S>(views.features()[i], options.components, {options.seed, 0xa99 + i});
    loose[i].setZero(u[i].rows(), u[i].cols());
  }
  for (bool first = true;; first = false) {
    for (std::size_t i = 0; i < 2; ++i) {
      Point<S> at(2);  // of this view U~, of the other V
      at[i] = loose[i];
      at[1 - i] = u[1 - i];
      views.multiply(at, &within, &cross);
      loose[i] -= eta * (within[i] - cross[i]);
      at[1 - i].resize(u[1 - i].rows(), 0);
      at[i] = loose[i];
      views.multiply(at, &within, nullptr);
      u[i] = loose[i] * gram_inverse_root<S>(loose[i].transpose() * within[i]);
    }
    if (first) continue;
    const Matrix<S> w = stacked(u) / std::sqrt(S(2));
    Matrix<S> aw(w.rows(), w.cols()), bw(w.rows(), w.cols());
    pencil.a->apply(w, aw);
    pencil.b->apply(w, bw);
    if (!run.goes_on(w, -aw, bw, -static_cast<double>(w.cwiseProduct(aw).sum()), static_cast<double>(eta)))
      return run.finish(u);
  }
}

template <class S>
class StochasticAppGrad final : public PencilStepper<S> {
 public:
  StochasticAppGrad(const StochasticCcaOptions& problem, bool own_step)
      : PencilStepper<S>(problem, "AppGrad", own_step) {}

 private:
  double begin() override {
    loose_ = this->x_;
    for (auto& block : loose_) block *= S(0.1);
    gram_.clear();
    return 0.5 / this->pencil_.scale();
  }

  void update(S rate) override {
    const auto rows = this->pencil_.all();
    auto& u = this->x_;
    this->pencil_.times_b(loose_, rows, within_);
    this->pencil_.times_a(u, rows, cross_);
    for (std::size_t i = 0; i < 2; ++i) loose_[i] -= rate * (within_[i] - cross_[i]);
    this->pencil_.times_b(loose_, rows, within_);
    if (gram_.empty()) gram_ = {loose_[0].transpose() * within_[0], loose_[1].transpose() * within_[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      gram_[i] += S(0.1) * (loose_[i].transpose() * within_[i] - gram_[i]);
      symmetrize<S>(gram_[i]);
      u[i] = loose_[i] * gram_inverse_root<S>(gram_[i]);
    }
  }

  Point<S> loose_, gram_, within_, cross_;
};

template <class S>
Result<S> solve_appgrad_stream(DataStream<S>& stream, const BaselineOptions<S>& options) {
  return learn_by<StochasticAppGrad<S>>(stream, options);
}

}  // namespace

std::vector<Baseline> appgrad_methods() {
  return {{.name = "appgrad",
           .text = "alternating gradient steps of two least-squares problems",
           .source = "Ma, Lu and Foster 2015",
           .memory = "6 n p",
           .views = {solve_appgrad<float>, solve_appgrad<double>}},
          {.name = "appgrad-stochastic",
           .text = "AppGrad on batches, normalised by a running Gram matrix",
           .source = "Ma, Lu and Foster 2015",
           .memory = "n (4 p + r)",
           .stream = {solve_appgrad_stream<float>, solve_appgrad_stream<double>}}};
}

}  // namespace landfall
