#include <landfall/errors.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/models/fit/in_memory_rows.hpp>
#include <landfall/models/ica/ica_rows.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace landfall {
namespace {

template <class S>
Matrix<double> covariance_of_all(Fit<S>& fit, Index n, const IcaRows<S>& rows) {
  if (rows.complete) return covariance_of<S>(rows.in_memory(), n, fit.stream.communicator());
  fit.result.passes += 1;
  return covariances<S, double>(fit.stream).within[0];
}

void require_rank(Index rank, Index p) {
  if (rank < p) throw NumericalError(fmt::format("rank {}, expected at least p = {}", rank, p));
  if (rank < 1) throw NumericalError("rank 0, expected at least 1");
}

}  // namespace

bool tries_newton(const IcaOptions& options) {
  return options.method == FitMethod::automatic && !options.passes && options.batch == 0 &&
         options.landing.step == 0 && options.landing.warm_up > 0 && options.checkpoints.resume.empty();
}

template <class S>
bool keeps_rows(const Source<S>& source, const IcaOptions& options, Index n, Index rows) {
  const double bytes = static_cast<double>(rows) * static_cast<double>(n) * sizeof(S);
  return source.random_access() && !source.sparse() && !options.holds_out() &&
         options.rank_rows == RankRows::shared && options.transform.centring != Centring::running &&
         options.transform.missing != Missing::drop && (!options.weights || options.weights->trivial()) &&
         bytes <= static_cast<double>(options.memory) / 4;
}

template <class S>
void read_rows(Source<S>& source, Fit<S>& fit, Index p, IcaRows<S>& rows) {
  const FitOptions& options = fit.options;
  const Index n = fit.features()[0],
              wanted = ica_first_rows<S>(ica_pilot_rows(options.first_rows), p, n, options.memory),
              small = std::max<Index>(128, ica_rows_for(p));
  Communicator& communicator = fit.stream.communicator();
  if (keeps_rows(source, options, n, rows.rows)) {
    const Transform<S>& transform = fit.stream.transform(0);
    std::vector<Index> order(static_cast<std::size_t>(std::min(wanted, rows.rows)));
    const Permutation random(rows.rows, {options.seed, 0xf125});
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = random(static_cast<Index>(i));
    rows.first = read_into_memory<S>(source, transform, order, small, communicator);
    const auto shuffled = [&source, &transform, &communicator, count = rows.rows, batch = rows.batch,
                           seed = options.seed] {
      return read_into_memory<S>(source, transform, shuffled_rows(count, seed), batch, communicator);
    };
    if (tries_newton(options)) {
      order.resize(static_cast<std::size_t>(rows.rows));
      std::iota(order.begin(), order.end(), Index{0});
      rows.kept = read_into_memory<S>(source, transform, order, rows.batch, communicator);
      rows.shuffled = shuffled;
    } else {
      rows.kept = shuffled();
    }
    rows.complete = true;
  } else {
    rows.first = read_into_memory(fit.stream, wanted, small);
    Index count = 0;
    for (const auto& batch : rows.first) count += batch.front().rows();
    reduce(communicator, count);
    rows.complete = count == rows.rows && fit.stream.centring() != Centring::running;
  }
}

template <class S>
void find_directions(Fit<S>& fit, Index asked, bool every_row, IcaRows<S>& rows) {
  const FitOptions& options = fit.options;
  DataStream<S>& stream = fit.stream;
  const Index n = fit.features()[0];
  const double ridge = options.ridge.value_or(0);
  const bool reduces = asked > 0 && asked < n && (options.reduction == Reduction::pca || every_row);
  rows.reduced = reduces;
  if (!squares_fit(n, options.memory)) {
    if (!reduces) return;
    int passes = 0;
    rows.whitening = streamed_components(stream, asked, ridge, options.seed, passes);
    fit.result.passes += passes;
    return require_rank(rows.whitening->rank(), asked);
  }
  const double tolerance = variance_tolerance<S>(n, mean_offset(stream));
  if (!every_row && !reduces) {
    rows.whitening = whiten(covariance_of<S>(rows.first, n, stream.communicator()), ridge, tolerance);
    if (rows.whitening->rank() >= (asked > 0 ? asked : n)) return;
  }
  const Matrix<double> covariance = covariance_of_all(fit, n, rows);
  if (!covariance.allFinite()) throw NumericalError("the covariance of its columns is not finite");
  Whitening all = whiten(covariance, ridge, tolerance);
  require_rank(all.rank(), asked);
  if (asked == 0 && all.rank() < n)
    fit.result.warnings.push_back(fmt::format("{}: {} columns have rank {}, so p = {}",
                                              stream.source(0).name(), n, all.rank(), all.rank()));
  if (!reduces) {
    rows.whitening = std::move(all);
    return;
  }
  rows.whitening = principal_components(covariance, stream.transform(0).scale(), asked, ridge);
  const double least = std::max(0.0, rows.whitening->least);
  if (least < static_cast<double>(n) * std::numeric_limits<double>::epsilon())
    fit.result.warnings.push_back(fmt::format(
        "{}: principal component {} has {:.1e} of the variance of the first, so rounding hides it: "
        "scale the columns",
        stream.source(0).name(), asked, least));
}

LANDFALL_ICA_ROWS(, float)
LANDFALL_ICA_ROWS(, double)

}  // namespace landfall
