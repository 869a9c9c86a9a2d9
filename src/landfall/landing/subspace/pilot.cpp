#include <landfall/landing/subspace/first_rows.hpp>
#include <landfall/landing/subspace/pilot.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/parallel/thread_pool.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace landfall {
namespace {

constexpr int kMostSteps = 24, kMostStepsOfAll = 200;
// A random start may by chance hold the second pair and next to nothing of the first: small residuals say nothing then. Each step
// adds the residuals of all columns to the span.
constexpr int kLeastSteps = 4;
// Residuals are squared, and the sampling error of the first rows is that of one row over their number.
constexpr double kShareOfNoise = 0.02;
// Below so many columns K x takes less time than the message that hands its rows to the other ranks.
constexpr Index kDivided = 256;

}  // namespace

template <class S>
std::vector<InversePtr<S>> subspace_inverses(const InMemorySamples<S>& first,
                                             const SubspacePilotOptions& options,
                                             const std::vector<Vector<S>>& variance, const CancelFlag& cancel,
                                             const WeightedRows<S>* more) {
  const std::span batches(first.batches());
  const bool split = !options.whole && batches.size() > 1;
  const std::size_t part =
      split ? std::min((3 * batches.size() + 3) / 4, batches.size() - 1) : batches.size();
  const auto seen = batches.first(part), unseen = split ? batches.subspan(part) : batches;
  std::vector<InversePtr<S>> inverses(first.shapes().size());
  const auto make = [&](Index view) {
    const auto k = static_cast<std::size_t>(view);
    inverses[k] = std::make_shared<ValidatedInverse<S>>(
        seen, unseen, k, InverseOptions{.rank = options.rank[k], .rows = options.rows, .seed = options.seed},
        static_cast<S>(options.ridge[k]), variance.empty() ? Vector<S>() : variance[k], first.communicator(),
        cancel, more);
  };
  const auto views = static_cast<Index>(inverses.size());
  if (first.communicator().size() == 1)
    parallel_for(views, make);
  else  // ranks must sum in the same order
    for (Index view = 0; view < views; ++view) make(view);
  return inverses;
}

template <class S>
void apply_inverses(const std::vector<InversePtr<S>>& inverse, const Point<S>& x, Point<S>& y,
                    Communicator& communicator) {
  const auto wide = [](const InversePtr<S>& k) { return k->complete() && k->size() >= kDivided; };
  const bool divided = communicator.size() > 1 && std::ranges::all_of(inverse, wide);
  for (std::size_t k = 0; k < inverse.size(); ++k) {
    y[k].resize(x[k].rows(), x[k].cols());
    if (!divided) {
      inverse[k]->apply(x[k], y[k]);
      continue;
    }
    const RankSlice own = slice(communicator.rank(), communicator.size(), x[k].rows());
    y[k].setZero();
    inverse[k]->apply_rows(own, x[k], y[k].middleRows(own.first, own.size()));
  }
  if (divided) reduce(communicator, y);
}

template <class S>
SubspacePilot<S> subspace_pilot(InMemorySamples<S>& first, const SubspacePilotOptions& options,
                                const std::vector<Vector<S>>& variance, const CancelFlag& cancel) {
  return solve_first_rows<S>(first, subspace_inverses(first, options, variance, cancel), options, nullptr,
                             cancel);
}

template <class S>
SubspacePilot<S> solve_first_rows(InMemorySamples<S>& first, std::vector<InversePtr<S>> inverse,
                                  const SubspacePilotOptions& options, const WeightedRows<S>* more,
                                  const CancelFlag& cancel) {
  SubspacePilot<S> pilot;
  pilot.inverse = std::move(inverse);
  for (const auto& k : pilot.inverse) pilot.noise = std::max(pilot.noise, k->noise());

  const auto& shapes = first.shapes();
  const std::size_t views = shapes.size();
  const Index columns = shapes[0].cols, wanted = options.wanted > 0 ? options.wanted : columns;
  const bool known = static_cast<bool>(first.objective().known);
  FirstRows<S> multiply_rows(first, more, cancel);
  RitzBasis<S> x, last, work;
  Point<S> r(views);
  // A random start K S K D^-1 Q, within the range of B. Its columns are orthonormal in the scaled coordinates: as many as
  // there are dimensions would be nearly dependent now and then if they were merely random.
  for (std::size_t k = 0; k < views; ++k) {
    r[k] = pilot.inverse[k]->scale().cwiseInverse().asDiagonal() *
           random_orthonormal(shapes[k].rows, columns, {options.seed, 0x57a27 + k}).template cast<S>();
  }
  x.z.resize(views);
  const auto apply_k = [&](const Point<S>& from, Point<S>& to) {
    apply_inverses<S>(pilot.inverse, from, to, first.communicator());
  };
  apply_k(r, x.z);
  multiply_rows(x);
  apply_k(x.sz, x.z);
  multiply_rows(x);
  const double eps = static_cast<double>(std::numeric_limits<S>::epsilon());
  const double count = static_cast<double>(first.count());
  double halved = std::numeric_limits<double>::infinity();
  int stalled = 0;  // steps since it was
  for (;; ++pilot.steps) {
    const Ritz ritz = x.ritz(options.ridge, columns, static_cast<double>(rank_tolerance<S>(columns)));
    x = x.turned(ritz.coefficients);
    pilot.values = ritz.values;
    // R = ascent - B X diag(values).
    double squares = 0, scale = 0, noise = 0;
    const Vector<S> values = ritz.values.template cast<S>();
    work.z.resize(views);
    for (std::size_t k = 0; k < views; ++k)
      r[k] = x.ascent[k] - (x.sz[k] + static_cast<S>(options.ridge[k]) * x.z[k]) * values.asDiagonal();
    apply_k(r, work.z);
    for (std::size_t k = 0; k < views; ++k)
      squares += static_cast<double>(r[k].leftCols(wanted).cwiseProduct(work.z[k].leftCols(wanted)).sum());
    for (Index j = 0; j < wanted; ++j) {
      const double value = std::clamp(ritz.values(j), 0.0, 1.0);
      scale += value * value;
      noise += known ? value * value : 1 - value * value;
    }
    const double sampling = kShareOfNoise * pilot.noise / count * noise;
    const double rounding = 64 * eps * eps * scale;
    const bool solved = !(squares > (options.whole ? rounding : sampling));
    // Where nothing but rounding is left, more steps would add it to the span, and X would get worse.
    const bool exact = !(squares > rounding * static_cast<double>(shapes[0].rows));
    if (solved && (exact || pilot.steps >= kLeastSteps)) break;
    if (pilot.steps >= (options.whole ? kMostStepsOfAll : kMostSteps)) break;
    ++stalled;
    if (squares < halved / 2) {
      halved = squares;
      stalled = 0;
    }
    if (stalled >= (options.whole ? 40 : 12)) break;  // rounding
    make_unit_columns(work.z);
    multiply_rows(work);
    ritz_step(x, work, last, options.ridge);
  }
  multiply_rows(x);  // without what rounding added up
  pilot.x = std::move(x.z);
  pilot.sx = std::move(x.sz);
  pilot.ascent = std::move(x.ascent);
  return pilot;
}

LANDFALL_SUBSPACE_PILOT(, float)
LANDFALL_SUBSPACE_PILOT(, double)

}  // namespace landfall
