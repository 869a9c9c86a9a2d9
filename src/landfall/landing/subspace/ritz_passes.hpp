// Passes during which X stays where it is: all rows measure K R there, and a Rayleigh-Ritz step over [X, K R, P] ends the pass.
//
//   landfall::RitzPasses<float> passes(landfall::correlation_objective<float>(), 60000, landfall::serial_communicator());
//   landfall::Point<float> x, kr;
//   passes.begin(x, kr);
//   landfall::CentredBatch<float> left, right;
//   passes.add({&left, &right});                      // every batch of the pass
//   passes.end_pass({1e-3, 1e-3});
//   passes.advance({1e-3, 1e-3});
//   use(passes.x(), passes.values());
//   passes.next(kr);                                  // at x()
//
// Nothing is estimated, so nothing is noise, and how much each pass gained is known. A pass needs half the products of one with steps.
#pragma once

#include <landfall/landing/subspace/ritz_basis.hpp>

namespace landfall {

template <class S>
class RitzPasses {
 public:
  /// `rows`: N of a pass, over all ranks.
  RitzPasses(const ScoreObjective<S>& objective, double rows, Communicator& communicator)
      : communicator_(&communicator), rows_(rows), sums_(objective) {}

  /// The next pass measures x as well: at first, and where the products of X, which are sums of products, are mostly rounding.
  /// w: K R, and what else is worth measuring.
  void begin(const Point<S>& x, const Point<S>& w);
  bool begun() const { return !measured_.z.empty(); }
  void add(const std::vector<const CentredBatch<S>*>& views);
  /// All rows have been added: the products at x() are known.
  void end_pass(const std::vector<double>& ridge);
  /// x() <- the best of [X, K R, P].
  void advance(const std::vector<double>& ridge);
  void next(const Point<S>& w);

  /// With its products over all rows, after the first pass; before that, empty.
  const RitzBasis<S>& x() const { return x_; }
  const Vector<double>& values() const { return values_; }
  /// After end_pass(): w, in columns of unit length, with its products.
  const RitzBasis<S>& measured() const { return measured_; }
  void state(State& state);

 private:
  Communicator* communicator_;
  double rows_;
  RowSums<S> sums_;
  RitzBasis<S> x_, last_, measured_;  // X; P; what this pass measures
  Vector<double> values_;
  Index with_x_ = 0;  // columns of X that this pass measures, in front
};

extern template class RitzPasses<float>;
extern template class RitzPasses<double>;

}  // namespace landfall
