#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/linalg/reduce.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
std::vector<Index> features_of(const DataStream<S>& stream) {
  std::vector<Index> features;
  for (std::size_t i = 0; i < stream.views(); ++i)
    features.push_back(static_cast<Index>(stream.transform(i).kept().size()));
  return features;
}

template <class S>
std::vector<Index> features_of(const InMemoryBatches<S>& batches) {
  if (batches.empty()) throw UsageError("samples need at least one batch, got 0");
  std::vector<Index> features;
  for (const auto& view : batches.front()) features.push_back(view.cols());
  return features;
}

}  // namespace

template <class S>
ViewSamples<S>::ViewSamples(const std::vector<Index>& features, const std::vector<Index>& components,
                            std::vector<S> ridge, ScoreObjective<S> objective, Communicator& communicator)
    : ridge_(std::move(ridge)), objective_(std::move(objective)), shared_(communicator) {
  if (features.size() != components.size() || features.size() != ridge_.size())
    throw UsageError(fmt::format("{} views with {} numbers of components and {} ridges", features.size(),
                                 components.size(), ridge_.size()));
  for (std::size_t i = 0; i < features.size(); ++i) shapes_.push_back({features[i], components[i]});
  alpha_.resize(features.size());
  b_.resize(features.size());
}

template <class S>
Index ViewSamples<S>::draw(Index) {
  for (;;) {
    const Index own = next_batch();
    const Index rows = shared_.start(std::max<Index>(own, 0));
    // A batch of which every row was dropped is not the end.
    if (rows > 0 || communicator().size() == 1 || !any_rank(communicator(), own >= 0)) return rows;
  }
}

template <class S>
double ViewSamples<S>::evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient,
                                     Point<S>* bx) {
  const SharedBatch::Part part = shared_.part(first, last);
  const bool none = part.size() == 0;
  const Index rows = none ? 0 : view(0).rows();
  const bool all = part.size() == rows;
  for (std::size_t i = 0; i < x.size() && !none; ++i) {
    auto& alpha = alpha_[i].resize(part.size(), x[i].cols());
    b_[i].resize(part.size(), x[i].cols());
    if (all) {
      view(i).times(x[i], alpha);
    } else {
      auto& whole = whole_.resize(rows, x[i].cols());
      view(i).times(x[i], whole);
      alpha = whole.middleRows(part.first, part.size());
    }
  }
  const auto& known = objective_.known;
  const double value = known ? known(x, gradient) : shared_.mean(part, none ? 0 : apply_objective(part));

  const S scale = S(1) / static_cast<S>(part.count);
  const auto transpose_times = [&](std::size_t i, const View<S>& w, Matrix<S>& out, S beta) {
    if (none) {
      if (beta == 0) out.setZero();
      return;
    }
    if (all) return view(i).transpose_times(w, out, scale, beta);
    auto& whole = whole_.resize(rows, w.cols());
    whole.setZero();
    whole.middleRows(part.first, part.size()) = w;
    view(i).transpose_times(whole, out, scale, beta);
  };
  const bool root = communicator().rank() == 0;  // the ridge enters the sum over the ranks once
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (gradient && !known) transpose_times(i, b_[i].view(), (*gradient)[i], 0);
    if (bx) {
      (*bx)[i] = (root ? ridge_[i] : S(0)) * x[i];
      transpose_times(i, alpha_[i].view(), (*bx)[i], 1);
    }
  }
  if (gradient && !known) reduce(communicator(), *gradient);
  if (bx) reduce(communicator(), *bx);
  return value;
}

template <class S>
double ViewSamples<S>::apply_objective(const SharedBatch::Part& part) {
  const std::span<const S> roots = view(0).batch.roots();
  return objective_.evaluate(alpha_, b_,
                             roots.empty() ? roots
                                           : roots.subspan(static_cast<std::size_t>(part.first),
                                                           static_cast<std::size_t>(part.size())));
}

template <class S>
StreamSamples<S>::StreamSamples(DataStream<S>& stream, const std::vector<Index>& components,
                                std::vector<S> ridge, ScoreObjective<S> objective, Index rows)
    : ViewSamples<S>(features_of(stream), components, std::move(ridge), std::move(objective),
                     stream.communicator()),
      stream_(stream),
      rows_(rows) {}

template <class S>
InMemoryBatches<S> read_into_memory(DataStream<S>& stream, Index rows, Index batch) {
  InMemoryBatches<S> batches;
  Communicator& communicator = stream.communicator();
  const auto start_batches =
      [&](Index count) {  // as many on every rank, empty where a rank has no rows of them
        while (static_cast<Index>(batches.size()) < count) {
          auto& views = batches.emplace_back(stream.views());
          for (std::size_t i = 0; i < views.size(); ++i) {
            views[i].mean = stream.view(i).mean;
            start_like(stream.view(i).batch, views[i].batch);
          }
        }
      };
  stream.begin_pass(std::numeric_limits<std::uint64_t>::max());
  Index seen = 0;  // by all ranks
  while (seen < rows && stream.next()) {
    Index place = seen;  // of this rank's first row in the pass
    const auto counts = counts_of_ranks(communicator, stream.view(0).rows());
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (static_cast<int>(rank) < communicator.rank()) place += counts[rank];
      seen += counts[rank];
    }
    start_batches((std::min(seen, rows) + batch - 1) / batch);
    for (Index row = 0; row < stream.view(0).rows() && place < rows; ++row, ++place)
      for (std::size_t i = 0; i < stream.views(); ++i)
        append_row(stream.view(i).batch, row, batches[static_cast<std::size_t>(place / batch)][i].batch);
  }
  return batches;
}

template <class S>
InMemoryBatches<S> gather_batches(InMemoryBatches<S> batches, Communicator& communicator) {
  if (communicator.size() == 1) return batches;
  StateWriter own;
  for (auto& views : batches)
    for (auto& view : views) view.batch.state(own);
  const auto parts = communicator.gather(own.bytes());
  if (communicator.rank() != 0) return {};
  std::vector<StateReader> others(parts.begin() + 1, parts.end());
  Batch<S> rows;
  for (auto& views : batches)
    for (StateReader& other : others)
      for (auto& view : views) {
        rows.state(other);
        for (Index i = 0; i < rows.rows(); ++i) append_row(rows, i, view.batch);
      }
  return batches;
}

template <class S>
InMemorySamples<S>::InMemorySamples(InMemoryBatches<S> batches, const std::vector<Index>& components,
                                    std::vector<S> ridge, ScoreObjective<S> objective, std::uint64_t seed,
                                    Communicator& communicator)
    : ViewSamples<S>(features_of(batches), components, std::move(ridge), std::move(objective), communicator),
      batches_(std::move(batches)),
      order_(static_cast<Index>(batches_.size()), seed) {
  for (const auto& batch : batches_) rows_ += batch.front().rows();
  batch_rows_ = batches_.front().front().rows();
  reduce(communicator, rows_, batch_rows_);
}

template <class S>
Index InMemorySamples<S>::next_batch() {
  const auto next = order_.draw(1);
  if (next.empty()) return -1;
  current_ = &batches_[static_cast<std::size_t>(next.front())];
  return current_->front().rows();
}

LANDFALL_VIEW_SAMPLES(, float)
LANDFALL_VIEW_SAMPLES(, double)

}  // namespace landfall
