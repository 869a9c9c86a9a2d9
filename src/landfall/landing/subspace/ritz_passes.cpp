#include <landfall/landing/subspace/ritz_passes.hpp>

namespace landfall {
namespace {

template <class S>
void columns_of(const RitzBasis<S>& from, Index first, Index count, RitzBasis<S>& to) {
  const auto cut = [&](const Point<S>& a, Point<S>& b) {
    b.resize(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) b[k] = a[k].middleCols(first, count);
  };
  cut(from.z, to.z);
  cut(from.sz, to.sz);
  cut(from.ascent, to.ascent);
}

}  // namespace

template <class S>
void RitzPasses<S>::begin(const Point<S>& x, const Point<S>& w) {
  next(w);
  with_x_ = x[0].cols();
  for (std::size_t k = 0; k < x.size(); ++k) {
    Matrix<S> both(x[k].rows(), x[k].cols() + w[k].cols());
    both << x[k], measured_.z[k];
    measured_.z[k] = std::move(both);
  }
  sums_.start(measured_.z);
}

template <class S>
void RitzPasses<S>::next(const Point<S>& w) {
  with_x_ = 0;
  measured_.z = w;
  make_unit_columns(measured_.z);
  sums_.start(measured_.z);
}

template <class S>
void RitzPasses<S>::add(const std::vector<const CentredBatch<S>*>& views) {
  sums_.add(views, measured_.z, static_cast<S>(1 / rows_));
}

template <class S>
void RitzPasses<S>::end_pass(const std::vector<double>& ridge) {
  sums_.finish(measured_, *communicator_);
  if (with_x_ == 0) return;
  RitzBasis<S> work;
  columns_of(measured_, 0, with_x_, x_);
  columns_of(measured_, with_x_, measured_.z[0].cols() - with_x_, work);
  measured_ = std::move(work);
  const Ritz ritz = x_.ritz(ridge, with_x_, 0);
  x_ = x_.turned(ritz.coefficients);
  values_ = ritz.values;
  last_ = {};
}

template <class S>
void RitzPasses<S>::advance(const std::vector<double>& ridge) {
  values_ = ritz_step(x_, measured_, last_, ridge).values;
}

template <class S>
void RitzPasses<S>::state(State& state) {
  for (RitzBasis<S>* basis : {&x_, &last_}) state(basis->z, basis->sz, basis->ascent);
  state(measured_.z, values_, with_x_);
  if (begun()) sums_.state(state, *communicator_);
}

template class RitzPasses<float>;
template class RitzPasses<double>;

}  // namespace landfall
