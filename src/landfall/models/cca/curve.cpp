#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/curve.hpp>
#include <landfall/models/fit/defaults.hpp>

#include <cmath>

namespace landfall {

template <class S>
void CcaCurve<S>::begin(DataStream<S>& stream, const std::vector<double>& ridge) {
  reference_ = covariances(stream);
  for (std::size_t i = 0; i < 2; ++i) reference_->within[i].diagonal().array() += static_cast<S>(ridge[i]);
}

template <class S>
void CcaCurve<S>::add(const Progress& progress, const Point<S>& x) {
  const auto moments = canonical_moments(*reference_, x);
  points_.push_back({progress.passes, progress.seconds,
                     canonical_rotation(moments, components_).correlations.sum(),
                     std::hypot(distance_to_identity(moments.left), distance_to_identity(moments.right))});
}

template <class S>
bool CcaCurve<S>::step(const Progress& progress, const Point<S>& x) {
  const double next = every_ * static_cast<double>(points_.size() + 1);
  if (x.size() == 2 && progress.passes >= next) add(progress, x);  // some methods have no point at hand
  return true;
}

template <class S>
void CcaCurve<S>::end(const Progress& progress, const Point<S>& x) {
  if (!points_.empty() && points_.back().passes == progress.passes) points_.pop_back();
  add(progress, x);
}

template class CcaCurve<float>;
template class CcaCurve<double>;

}  // namespace landfall
