#include <landfall/errors.hpp>
#include <landfall/models/ica/ica_landing.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace landfall {

template <class S>
IcaLanding<S>::IcaLanding(DataStream<S>& stream, const IcaOptions& options, IcaRows<S>& rows, Index p,
                          double ridge)
    : stream_(stream),
      options_(options),
      rows_(rows),
      ridge_(ridge),
      weights_(std::make_shared<Vector<S>>(Vector<S>::Zero(p))) {
  first_ = in_memory(std::move(rows.first));
  if (!rows.kept.empty())
    all_ = kept_ = in_memory(std::move(rows.kept));
  else
    all_ = std::make_shared<StreamSamples<S>>(stream, std::vector<Index>{p},
                                              std::vector<S>{static_cast<S>(ridge)},
                                              contrast_objective<S>(options.contrast, weights_), rows.rows);
  try {
    start_.emplace(first_, weights_, options, rows.whitening ? &*rows.whitening : nullptr);
  } catch (const NumericalError& error) {
    throw NumericalError(fmt::format("{}: {}", stream.source(0).name(), error.what()));
  }
  x_ = start_->x();
  const double r = static_cast<double>(rows.batch), noise = start_->pilot().noise;
  choice_ = {.first_rows = first_->count(), .rank = start_->pilot().rank, .noise = noise};
  choice_.step = start_->step(r);
  choice_.momentum = options.landing.momentum.value_or(std::min(0.5, r / (r + 4 * noise)));
  choice_.omega = options.landing.omega;
}

template <class S>
std::shared_ptr<InMemorySamples<S>> IcaLanding<S>::in_memory(InMemoryBatches<S> batches) const {
  return std::make_shared<InMemorySamples<S>>(
      std::move(batches), std::vector<Index>{weights_->size()}, std::vector<S>{static_cast<S>(ridge_)},
      contrast_objective<S>(options_.contrast, weights_), options_.seed, stream_.communicator());
}

template <class S>
void IcaLanding<S>::warm_up() {
  choice_.warm_up =
      start_->warm_up(first_->count() < all_->count() ? 4 / static_cast<double>(first_->count()) : 0);
  x_ = start_->x();
  oracle_ = start_->release();
}

template <class S>
Result<S> IcaLanding<S>::land(const Checkpoints& checkpoints,
                              std::function<bool(const Progress&, const Point<S>&)> observer) {
  if (rows_.shuffled) {  // batches of landing are random rows
    all_.reset();
    kept_.reset();
    all_ = kept_ = in_memory(std::exchange(rows_.shuffled, nullptr)());
  }
  const SamplingOptions sampling{.estimator = options_.landing.estimator, .batch = rows_.batch};
  if (oracle_)
    oracle_->continue_with(all_, sampling);
  else
    oracle_ = std::make_unique<SampledOracle<S>>(all_, sampling, start_->fields());
  const double passes = options_.passes.value_or(1);
  auto result = solve_with_checkpoints<S>(*oracle_, x_,
                                          {.step = {.rule = StepRule::fixed,
                                                    .size = choice_.step,
                                                    .schedule = Schedule::cosine,
                                                    .horizon = passes},
                                           .omega = options_.landing.omega,
                                           .momentum = choice_.momentum,
                                           .stop = stop::passes(passes),
                                           .observer = std::move(observer),
                                           .cancel = options_.cancel},
                                          checkpoints, stream_.communicator());
  x_ = result.x;
  if (rows_.reduced) {  // rounding may have left the principal components
    const Whitening& w = *rows_.whitening;
    x_.front() = (w.factor * (w.dual.transpose() * x_.front().template cast<double>())).template cast<S>();
  }
  oracle_.reset();
  return result;
}

template <class S>
ComponentMoments IcaLanding<S>::evaluate() const {
  return kept_ ? component_moments<S>(kept_->batches(), options_.contrast, x_.front(), stream_.communicator())
               : component_moments<S>(stream_, options_.contrast, x_.front());
}

template class IcaLanding<float>;
template class IcaLanding<double>;

}  // namespace landfall
