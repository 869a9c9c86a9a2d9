// Progress of a method, for comparisons: its total correlation and infeasibility on all rows, by covariances
// (n^2 memory).
//
//   #include <landfall/data/formats/open_source.hpp>
//   #include <landfall/models/cca/cca.hpp>
//   landfall::CcaCurve<float> curve(5, 0.5);    // five pairs, every half pass
//   landfall::fit_cca<float>(landfall::open_source<float>("left.npy"), landfall::open_source<float>("right.npy"),
//                            {.components = 5, .method = landfall::FitMethod::landing}, &curve);
//   for (const auto& at : curve.points()) use(at.passes, at.total_correlation);
#pragma once

#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/observer.hpp>

#include <optional>

namespace landfall {

struct CurvePoint {
  double passes = 0, seconds = 0;
  double total_correlation = 0;  // of the best p pairs within the columns that landing carries
  double infeasibility = 0;      // of all these columns, both views
};

template <class S>
class CcaCurve final : public FitObserver<S> {
 public:
  CcaCurve(Index components, double every) : components_(components), every_(every) {}

  void begin(DataStream<S>& stream, const std::vector<double>& ridge) override;
  bool step(const Progress& progress, const Point<S>& x) override;
  void end(const Progress& progress, const Point<S>& x) override;

  const std::vector<CurvePoint>& points() const { return points_; }

 private:
  void add(const Progress& progress, const Point<S>& x);

  Index components_;
  double every_;                             // passes between two points
  std::optional<Covariances<S>> reference_;  // with the ridge
  std::vector<CurvePoint> points_;
};

extern template class CcaCurve<float>;
extern template class CcaCurve<double>;

}  // namespace landfall
