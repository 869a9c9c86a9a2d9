// Landing for CCA and ICA as the paper has it; the method `landing` is the adaptive one. The direction is Psi_B, the
// normal term 2 Y H, and there is no preconditioner:
//
//   X <- X - eta (Psi_B + omega 2 Y H)
//
//   landing-online     B, B' and the gradient from disjoint parts of a batch
//   landing-averaged   covariances of all rows so far, exact after one pass; keeps the rows and n x n matrices
//   landing-released   the authors' code, where it departs from the paper: half of the field, so that its eta is twice
//                      that of the formula, and one batch for the gradient and both B, which is biased. Defaults:
//                        CCA   eta = 0.01, omega = 2, eta/10 after four passes; chosen for pixels in [-1, 1]
//                        ICA   eta = 0.4, omega = 0.25, eta/10 after three passes and again after four
//
// eta, omega, the milestones and the start may be given in the options. Otherwise the first two take
// eta = 1/2 over scale^2 (batch_pencil.hpp), since the curvature of Psi_B is of the order of lambda_1(B)^2, with a
// cosine, and omega such that eta omega lambda_1 = 1/4.
#include <landfall/baselines/batch_pencil.hpp>
#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/data/rows/row_count.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/landing/view_samples.hpp>
#include <landfall/parallel/threads.hpp>

#include <limits>

namespace landfall {
namespace {

enum class Form { online, averaged, released };

/// All rows, written out in the order of the first pass, and the roots of their weights, where they have some.
template <class S>
struct AllRows {
  std::vector<RowMatrix<S>> views;
  std::vector<S> roots;
};

template <class S>
AllRows<S> all_rows(DataStream<S>& stream, Index rows) {
  AllRows<S> all{std::vector<RowMatrix<S>>(stream.views()), {}};
  auto& views = all.views;
  std::vector<DenseRows<S>> dense(views.size());
  Index filled = 0;
  stream.begin_pass(0);
  while (stream.next()) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      const Index n = stream.view(i).cols(), count = stream.view(i).rows();
      views[i].conservativeResize(std::max(rows, filled + count), n);
      views[i].middleRows(filled, count) = dense[i](stream.view(i)).transpose();
    }
    const auto roots = stream.view(0).batch.roots();
    all.roots.insert(all.roots.end(), roots.begin(), roots.end());
    filled += stream.view(0).rows();
  }
  for (auto& view : views) view.conservativeResize(filled, Eigen::NoChange);
  return all;
}

template <class S, Form form>
Result<S> solve_form(DataStream<S>& stream, const BaselineOptions<S>& options) {
  const SerialBlas serial;  // the same result with any number of threads
  const StochasticCcaOptions problem = stochastic_options(options);
  validate(problem);
  const Index rows = count_rows(stream);
  const bool cca = stream.views() == 2;
  const std::vector<Index> components(stream.views(), options.components);
  const std::vector<S> ridge(options.ridge.begin(), options.ridge.begin() + (cca ? 2 : 1));
  const ScoreObjective<S> objective = cca ? correlation_objective<S>() : logcosh_objective<S>();

  stream.begin_pass(0);
  stream.next();
  const Index batch = stream.view(0).rows();
  std::vector<const CentredBatch<S>*> views{&stream.view(0)};
  if (cca) views.push_back(&stream.view(1));
  const double scale = batch_scale<S>(views, problem);
  Point<S> start = start_of<S>(views, options, "landing");

  std::shared_ptr<Samples<S>> samples;
  if (form == Form::averaged) {
    require_square_memory<S>("landing-averaged", 3, stream, options);
    auto all = all_rows(stream, rows);
    samples = std::make_shared<LinearSamples<S>>(std::move(all.views), components, ridge, objective,
                                                 std::nullopt, serial_communicator(), std::move(all.roots));
  } else {
    samples = std::make_shared<StreamSamples<S>>(stream, components, ridge, objective, rows);
  }
  constexpr Estimator estimator = form == Form::online     ? Estimator::split
                                  : form == Form::averaged ? Estimator::averaged
                                                           : Estimator::shared;
  std::vector<FieldOptions<S>> fields(stream.views());
  SampledOracle<S> oracle(samples, {.estimator = estimator, .batch = batch}, std::move(fields));
  SolverOptions<S> solver;
  solver.step = {.rule = StepRule::fixed,
                 .size = options.step > 0 ? options.step : 0.5 / (scale * scale),
                 .schedule = problem.schedule,
                 .horizon = static_cast<double>(problem.passes),
                 .milestones = problem.milestones};
  solver.omega = options.omega;
  solver.restore_start = false;
  solver.trust = std::numeric_limits<double>::max();  // the paper has none
  solver.stop = stop::passes(problem.passes);
  solver.observer = options.observer;
  if (form == Form::released) {
    solver.step.size = (options.step > 0 ? options.step : cca ? 0.01 : 0.4) / 2;
    if (!options.milestones) {
      solver.step.schedule = Schedule::milestones;
      solver.step.milestones = cca ? std::vector<double>{4} : std::vector<double>{3, 4};
    }
    if (!options.omega) solver.omega = cca ? 2 : 0.25;
  }
  return solve<S>(oracle, std::move(start), std::move(solver));
}

}  // namespace

std::vector<Baseline> landing_methods() {
  return {{.name = "landing-online",
           .text = "landing as in the paper, online: disjoint parts of each batch",
           .source = "the paper",
           .memory = "n (p + r)",
           .stream = {solve_form<float, Form::online>, solve_form<double, Form::online>},
           .mixtures = {solve_form<float, Form::online>, solve_form<double, Form::online>}},
          {.name = "landing-averaged",
           .text = "landing as in the paper, with the covariance of all rows so far",
           .source = "the paper",
           .memory = "n^2 + N n",
           .stream = {solve_form<float, Form::averaged>, solve_form<double, Form::averaged>},
           .mixtures = {solve_form<float, Form::averaged>, solve_form<double, Form::averaged>}},
          {.name = "landing-released",
           .text = "landing as released by its authors: half the field, one shared batch, fixed step",
           .source = "the paper's code",
           .origin = Origin::reconstructed,
           .memory = "n (p + r)",
           .stream = {solve_form<float, Form::released>, solve_form<double, Form::released>},
           .mixtures = {solve_form<float, Form::released>, solve_form<double, Form::released>}}};
}

}  // namespace landfall
