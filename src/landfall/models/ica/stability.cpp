#include <landfall/data/rows/forwarded_source.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/random.hpp>
#include <landfall/models/ica/stability.hpp>

namespace landfall {

template <class S>
IcaStability ica_stability(Source<S>& data, const IcaResult<S>& result, const IcaOptions& given,
                           int restarts) {
  constexpr double kSame = 0.9;
  const Index p = result.signs.size();
  IcaStability stability{0, std::vector<Index>(static_cast<std::size_t>(p), 0), Vector<double>::Zero(p)};
  IcaOptions options = given;
  options.components = p;
  options.observer = {};
  options.checkpoints = {};
  for (int restart = 0; restart < restarts; ++restart) {
    options.seed = random_words({given.seed, 0x1ca}, static_cast<std::uint64_t>(restart))[0];
    data.rewind();
    try {
      const auto other = fit_ica<S>(std::make_unique<BorrowedSource<S>>(data), options);
      // w'S w2 of sources with unit variance, and S w2 is the mixing column.
      const Matrix<double> correlations =
          (result.views[0].weights.template cast<double>().transpose() * other.mixing.template cast<double>())
              .cwiseAbs();
      ++stability.restarts;
      for (Index i = 0; i < p; ++i) {
        const double nearest = correlations.row(i).maxCoeff();
        stability.similarity(i) += std::min(nearest, 1.0);
        stability.returned[static_cast<std::size_t>(i)] += nearest > kSame;
      }
    } catch (const NumericalError&) {
    }
  }
  if (stability.restarts > 0) stability.similarity /= stability.restarts;
  return stability;
}

template IcaStability ica_stability<float>(Source<float>&, const IcaResult<float>&, const IcaOptions&, int);
template IcaStability ica_stability<double>(Source<double>&, const IcaResult<double>&, const IcaOptions&,
                                            int);

}  // namespace landfall
