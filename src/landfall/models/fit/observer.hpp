// Watches a fit from inside: the stream before the method starts, and the point after every step. The clock
// of the fit is paused meanwhile.
//
//   struct Norms : landfall::FitObserver<float> {
//     bool step(const landfall::Progress&, const landfall::Point<float>& x) override {
//       return x[0].norm() < 1e6f;    // false ends the run
//     }
//   };
//
// models/cca/curve.hpp is one.
#pragma once

#include <landfall/data/rows/stream.hpp>
#include <landfall/landing/result.hpp>

#include <vector>

namespace landfall {

template <class S>
class FitObserver {
 public:
  virtual ~FitObserver() = default;
  /// The training rows, and the ridge of each view.
  virtual void begin(DataStream<S>&, const std::vector<double>& /*ridge*/) {}
  /// In the coordinates of the stream: columns that are kept, scaled as the options say.
  virtual bool step(const Progress&, const Point<S>&) { return true; }
  /// After the last step.
  virtual void end(const Progress&, const Point<S>&) {}
};

}  // namespace landfall
