// Rows of several views as samples: B_k = A_k'A_k/r + ridge_k I, the gradient by the objective. Dense or
// sparse, from a stream or kept in memory.
//
//   auto objective = landfall::correlation_objective<float>();
//   std::vector<landfall::SourcePtr<float>> views;                 // left and right
//   landfall::DataStream<float> stream(std::move(views), {.batch = 128});
//   landfall::StreamSamples<float> all(stream, {5, 5}, {1e-3f, 1e-3f}, objective, count);
//   landfall::InMemorySamples<float> first(landfall::read_into_memory(stream, 4096), {5, 5}, {1e-3f, 1e-3f}, objective);
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/samples.hpp>

namespace landfall {

template <class S>
class ViewSamples : public Samples<S> {
 public:
  const std::vector<Shape>& shapes() const override { return shapes_; }
  S ridge(std::size_t i) const { return ridge_[i]; }
  const ScoreObjective<S>& objective() const { return objective_; }
  Communicator& communicator() const override { return shared_.communicator(); }
  Index draw(Index size) final;
  /// The rows of a view in the current batch, where there are any.
  virtual const CentredBatch<S>& view(std::size_t i) const = 0;

 protected:
  double evaluate_impl(Index first, Index last, const Point<S>& x, Point<S>* gradient, Point<S>* bx) override;

  ViewSamples(const std::vector<Index>& features, const std::vector<Index>& components, std::vector<S> ridge,
              ScoreObjective<S> objective, Communicator& communicator);

  /// Makes the next batch the current one; returns the number of its rows on this rank, -1 at the end of the pass.
  virtual Index next_batch() = 0;

 private:
  /// f of these rows from alpha_; writes b_.
  double apply_objective(const SharedBatch::Part& part);

  std::vector<Shape> shapes_;
  std::vector<S> ridge_;
  ScoreObjective<S> objective_;
  SharedBatch shared_;
  std::vector<Scratch<S>> alpha_, b_;
  Scratch<S> whole_;  // products with all rows of the batch where a part of them is wanted
};

/// The training rows of a stream. draw() gives the stream's next batch, whatever size it is asked for.
template <class S>
class StreamSamples final : public ViewSamples<S> {
 public:
  /// `rows`: how many one pass has on all ranks.
  StreamSamples(DataStream<S>& stream, const std::vector<Index>& components, std::vector<S> ridge,
                ScoreObjective<S> objective, Index rows);

  Index count() const override { return rows_; }
  void begin_pass(std::uint64_t pass) override { stream_.begin_pass(pass); }
  const CentredBatch<S>& view(std::size_t i) const override { return stream_.view(i); }

 protected:
  Index next_batch() override { return stream_.next() ? stream_.view(0).rows() : -1; }

 private:
  DataStream<S>& stream_;
  Index rows_;
};

/// Batches, each with its views.
template <class S>
using InMemoryBatches = std::vector<std::vector<CentredBatch<S>>>;

/// The first `rows` rows of a pass of its own, in an order that no other pass has, cut into batches. Each rank
/// keeps its rows of every batch; which batch a row is in does not depend on the number of ranks.
template <class S>
InMemoryBatches<S> read_into_memory(DataStream<S>& stream, Index rows, Index batch = 128);

/// The batches of all ranks as one rank would have them, on rank 0; none elsewhere.
template <class S>
InMemoryBatches<S> gather_batches(InMemoryBatches<S> batches, Communicator& communicator);

/// Batches in memory; each pass hands them out in another order. draw() gives the next, whatever its size.
template <class S>
class InMemorySamples final : public ViewSamples<S> {
 public:
  InMemorySamples(InMemoryBatches<S> batches, const std::vector<Index>& components, std::vector<S> ridge,
                  ScoreObjective<S> objective, std::uint64_t seed = 0,
                  Communicator& communicator = serial_communicator());

  Index count() const override { return rows_; }
  void begin_pass(std::uint64_t pass) override { order_.begin_pass(pass); }

  /// The rows of the first batch, on all ranks; the last batch may be shorter.
  Index batch_rows() const { return batch_rows_; }
  /// Those of this rank; the others have as many.
  const InMemoryBatches<S>& batches() const { return batches_; }

  const CentredBatch<S>& view(std::size_t i) const override { return (*current_)[i]; }

 protected:
  Index next_batch() override;

 private:
  InMemoryBatches<S> batches_;
  SampleOrder order_;
  const std::vector<CentredBatch<S>>* current_ = nullptr;
  Index rows_ = 0, batch_rows_ = 0;
};

#define LANDFALL_VIEW_SAMPLES(EXTERN, S)                                                \
  EXTERN template class ViewSamples<S>;                                                 \
  EXTERN template class StreamSamples<S>;                                               \
  EXTERN template class InMemorySamples<S>;                                             \
  EXTERN template InMemoryBatches<S> read_into_memory<S>(DataStream<S>&, Index, Index); \
  EXTERN template InMemoryBatches<S> gather_batches<S>(InMemoryBatches<S>, Communicator&);
LANDFALL_VIEW_SAMPLES(extern, float)
LANDFALL_VIEW_SAMPLES(extern, double)

}  // namespace landfall
