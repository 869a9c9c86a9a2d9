// Landing of ICA: over the first rows, until directions, signs and the scale of f are known, then over all.
//
//   landfall::IcaRows<float> rows;    // what is known of the data
//   const landfall::IcaOptions options;
//   landfall::IcaLanding<float> run(stream, options, rows, 5, 0);
//   run.warm_up();
//   const auto landed = run.land({}, {});
//   use(run.evaluate(), run.x());
#pragma once

#include <landfall/models/ica/ica_rows.hpp>

#include <functional>
#include <optional>

namespace landfall {

template <class S>
class IcaLanding {
 public:
  /// Takes the batches of the rows; the rest of them and the options must outlive it.
  IcaLanding(DataStream<S>& stream, const IcaOptions& options, IcaRows<S>& rows, Index p, double ridge);

  void warm_up();
  Result<S> land(const Checkpoints& checkpoints,
                 std::function<bool(const Progress&, const Point<S>&)> observer);
  /// Over all rows.
  ComponentMoments evaluate() const;
  /// X <- X T: where the next run begins.
  void turn(const Matrix<double>& t) { x_.front() *= t.template cast<S>(); }

  /// What warm_up() and later evaluations have found out.
  void state(State& state) { state(*weights_, choice_.warm_up); }

  const InMemorySamples<S>& first() const { return *first_; }
  const InMemorySamples<S>* kept() const { return kept_.get(); }
  Vector<S>& weights() { return *weights_; }
  const Vector<S>& weights() const { return *weights_; }
  const Matrix<S>& x() const { return x_.front(); }
  const AdaptiveChoice& choice() const { return choice_; }

 private:
  std::shared_ptr<InMemorySamples<S>> in_memory(InMemoryBatches<S> batches) const;

  DataStream<S>& stream_;
  const IcaOptions& options_;
  IcaRows<S>& rows_;
  double ridge_;
  std::shared_ptr<Vector<S>> weights_;
  std::shared_ptr<InMemorySamples<S>> first_;
  std::shared_ptr<InMemorySamples<S>> kept_;  // all rows where they fit in memory, else null
  std::shared_ptr<Samples<S>> all_;
  std::optional<IcaStart<S>> start_;
  std::unique_ptr<SampledOracle<S>> oracle_;
  Point<S> x_;
  AdaptiveChoice choice_;
};

extern template class IcaLanding<float>;
extern template class IcaLanding<double>;

}  // namespace landfall
