#include <landfall/landing/subspace/first_rows.hpp>

namespace landfall {

template <class S>
void FirstRows<S>::operator()(RitzBasis<S>& basis) {
  sums_.start(basis.z);
  std::vector<const CentredBatch<S>*> rows(basis.z.size());
  for (const auto& batch : first_.batches()) {
    cancel_.throw_if_requested();
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = &batch[k];
    sums_.add(rows, basis.z, S(1) / static_cast<S>(first_.count()));
  }
  if (more_) sums_.add(more_->views, basis.z, 1, &more_->weights);
  sums_.finish(basis, first_.communicator());
}

template class FirstRows<float>;
template class FirstRows<double>;

}  // namespace landfall
