#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall {

template <class S>
void BatchPencil<S>::multiply(const Point<S>& w, RowRange rows, bool cross, Point<S>& out) {
  out.resize(2);
  const S scale = S(1) / static_cast<S>(rows.last - rows.first);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t from = cross ? 1 - i : i;
    auto& scores = scores_.resize(views_[from]->rows(), w[from].cols());
    views_[from]->times(w[from], scores);
    scores.topRows(rows.first).setZero();
    scores.bottomRows(scores.rows() - rows.last).setZero();
    out[i].resize(views_[i]->cols(), w[from].cols());
    if (cross)
      views_[i]->transpose_times(scores, out[i], scale, 0);
    else {
      out[i] = static_cast<S>(options_.ridge_of(i)) * w[i];
      views_[i]->transpose_times(scores, out[i], scale, 1);
    }
  }
}

template <class S>
void BatchPencil<S>::times_a(const Point<S>& w, RowRange rows, Point<S>& out) {
  multiply(w, rows, true, out);
}

template <class S>
void BatchPencil<S>::times_b(const Point<S>& w, RowRange rows, Point<S>& out) {
  multiply(w, rows, false, out);
}

template <class S>
double batch_scale(std::span<const CentredBatch<S>* const> views, const StochasticCcaOptions& options) {
  constexpr Index probes = 8;
  double largest = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const CentredBatch<S>& view = *views[i];
    const double rows = static_cast<double>(view.rows());
    Matrix<S> v = gaussian<S>(view.cols(), probes, {options.seed, 0x5ca1e + i});
    Matrix<S> scores(view.rows(), probes);
    view.times(v, scores);
    const double trace = static_cast<double>(scores.squaredNorm()) / probes / rows;  // Hutchinson's estimate
    double top = 0;
    for (int step = 0; step < 8; ++step) {
      view.transpose_times(scores, v, S(1) / static_cast<S>(rows), 0);
      for (Index j = 0; j < probes; ++j) {
        top = std::max(top, static_cast<double>(v.col(j).norm()));
        if (v.col(j).norm() > 0) v.col(j).normalize();
      }
      if (step == 0) top = 0;  // the columns were not of length 1 yet
      view.times(v, scores);
    }
    largest = std::max(largest, top + trace / rows + options.ridge_of(i));
  }
  return largest;
}

template <class S>
double PencilStepper<S>::step(const CentredBatch<S>& left, const CentredBatch<S>& right, double rate) {
  pencil_.read(left, right);
  if (this->x_.empty()) {
    this->x_ = orthonormal_on<S>(pencil_.views(), problem_, name_);
    const double unit = begin();
    unit_ = own_step_ ? unit : 1;
  }
  pencil_.times_a(this->x_, pencil_.all(), product_);
  const double objective = -static_cast<double>(this->x_[0].cwiseProduct(product_[0]).sum());
  update(static_cast<S>(unit_ * rate));
  return objective;
}

template <class S>
StochasticCcaOptions stochastic_options(const BaselineOptions<S>& options) {
  const auto milestones = options.milestones.value_or(std::vector<double>{});
  return {.components = options.components,
          .learning_rate = options.step > 0 ? options.step : 1,
          .schedule = !options.milestones  ? Schedule::cosine
                      : milestones.empty() ? Schedule::constant
                                           : Schedule::milestones,
          .milestones = milestones,
          .passes = static_cast<int>(std::ceil(options.passes)),
          .ridge = options.ridge[0],
          .right_ridge = options.ridge[1],
          .seed = options.seed};
}

template <class S>
Point<S> start_of(std::span<const CentredBatch<S>* const> views, const BaselineOptions<S>& options,
                  std::string_view method) {
  if (options.start.empty()) return orthonormal_on<S>(views, stochastic_options(options), method);
  if (options.start.size() != views.size())
    throw UsageError(fmt::format("{}: the start has {} blocks, expected one for each of {} views", method,
                                 options.start.size(), views.size()));
  for (std::size_t i = 0; i < views.size(); ++i)
    if (options.start[i].rows() != views[i]->cols() || options.start[i].cols() != options.components)
      throw UsageError(fmt::format("{}: block {} of the start is {}x{}, expected {}x{}", method, i + 1,
                                   options.start[i].rows(), options.start[i].cols(), views[i]->cols(),
                                   options.components));
  return options.start;
}

template <class S>
void require_square_memory(std::string_view method, int matrices, const DataStream<S>& stream,
                           const BaselineOptions<S>& options) {
  const auto n = [&](std::size_t view) { return static_cast<double>(stream.transform(view).kept().size()); };
  const bool two = stream.views() == 2;
  const double numbers = two ? n(0) * n(0) + n(1) * n(1) + n(0) * n(1) : n(0) * n(0);
  const double bytes = matrices * numbers * sizeof(S);
  if (bytes > static_cast<double>(options.memory))
    throw UsageError(
        fmt::format("{} stores n x n matrices: {} columns need {:.3g} MiB, the memory limit is {:.3g} MiB",
                    method, two ? fmt::format("{} and {}", n(0), n(1)) : fmt::format("{}", n(0)),
                    bytes / (1 << 20), static_cast<double>(options.memory) / (1 << 20)));
}

template <class S>
Matrix<S> stacked(const Point<S>& w) {
  Matrix<S> both(w[0].rows() + w[1].rows(), w[0].cols());
  both << w[0], w[1];
  return both;
}

template <class S>
void unstack(const Matrix<S>& both, Point<S>& w) {
  w[0] = both.topRows(w[0].rows());
  w[1] = both.bottomRows(w[1].rows());
}

LANDFALL_BATCH_PENCIL(, float)
LANDFALL_BATCH_PENCIL(, double)

}  // namespace landfall
