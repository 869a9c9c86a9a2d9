#include <landfall/models/cca/cca_baseline.hpp>
#include <landfall/models/fit/covariance.hpp>

#include <utility>

namespace landfall {
namespace {

template <class S>
std::shared_ptr<const ViewProducts<S>> products(DataStream<S>& stream, const BaselineOptions<S>& options) {
  const auto left = static_cast<double>(stream.transform(0).kept().size()),
             right = static_cast<double>(stream.transform(1).kept().size());
  const double bytes = (left * left + right * right + left * right) * sizeof(S);
  if (bytes > static_cast<double>(options.memory) / 2)
    return std::make_shared<StreamProducts<S>>(stream, options.ridge);
  auto moments = covariances(stream);
  for (std::size_t i = 0; i < 2; ++i)
    moments.within[i].diagonal().array() += static_cast<S>(options.ridge[i]);
  return std::make_shared<HeldProducts<S>>(std::move(moments.within), std::move(moments.between.front()));
}

}  // namespace

template <class S>
Result<S> solve_cca_baseline(const Baseline& baseline, DataStream<S>& stream,
                             const BaselineOptions<S>& options) {
  if (baseline.stream) return baseline.stream.get<S>()(stream, options);
  find_baseline(baseline.name, Problem::cca);  // says what it is not for
  const auto views = products(stream, options);
  Result<S> result = solve_baseline<S>(baseline, views, options);
  result.progress.passes = views->passes();
  return result;
}

LANDFALL_CCA_BASELINE(, float)
LANDFALL_CCA_BASELINE(, double)

}  // namespace landfall
