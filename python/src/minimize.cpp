// minimize, and the checks of a user's functions. Points are lists of arrays, one for each block.
#include <landfall/landing/check_unbiased.hpp>
#include <landfall/landing/exact.hpp>
#include <landfall/landing/sampled.hpp>
#include <landfall/landing/sketch.hpp>
#include <landfall/landing/solver.hpp>
#include <landfall/manifold/check.hpp>
#include <landfall/manifold/constraints.hpp>

#include "convert.hpp"
#include "models.hpp"
#include "operators.hpp"
#include "options.hpp"
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

template <class S>
Point<S> point_of(const py::sequence& blocks) {
  Point<S> point;
  for (const auto& block : blocks) point.push_back(matrix_of<S>(block));
  return point;
}

template <class S>
py::list list_of(const Point<S>& point) {
  py::list blocks;
  for (const auto& block : point) blocks.append(array_of<S>(block));
  return blocks;
}

/// What a function of the user returned, into blocks of the right sizes.
template <class S>
void take(const py::handle& returned, const char* what, const Point<S>& like, Point<S>* out) {
  if (!out) return;
  Point<S> point = point_of<S>(returned.cast<py::sequence>());
  if (point.size() != like.size())
    throw UsageError(fmt::format("{} of {} blocks, expected {}", what, point.size(), like.size()));
  for (std::size_t i = 0; i < like.size(); ++i)
    if (point[i].rows() != like[i].rows() || point[i].cols() != like[i].cols())
      throw UsageError(fmt::format("{} of size {}x{}, expected {}x{}", what, point[i].rows(), point[i].cols(),
                                   like[i].rows(), like[i].cols()));
  *out = std::move(point);
}

/// fun(blocks, wants_gradient) -> (f, gradient or None), on the thread of the caller.
template <class S>
Objective<S> objective_of(const py::object& fun, Caller& caller) {
  return [&caller, fun = py::handle(fun)](const Point<S>& x, Point<S>* gradient) {
    S value = 0;
    caller.call([&] {
      const py::tuple returned = fun(list_of(x), gradient != nullptr);
      value = static_cast<S>(returned[0].cast<double>());
      take(returned[1], "a gradient", x, gradient);
    });
    return value;
  };
}

/// sampler(indices, blocks) -> (f, G, BX).
template <class S>
std::shared_ptr<Samples<S>> samples_of(const py::object& sampler, Index count, const Point<S>& start,
                                       std::uint64_t seed, Caller& caller) {
  std::vector<Shape> shapes;
  for (const auto& block : start) shapes.push_back({block.rows(), block.cols()});
  return std::make_shared<CallbackSamples<S>>(
      count, shapes,
      [&caller, sampler = py::handle(sampler)](std::span<const Index> drawn, const Point<S>& x,
                                               Point<S>* gradient, Point<S>* bx) {
        double value = 0;
        caller.call([&] {
          const py::array_t<Index> indices(static_cast<Index>(drawn.size()), drawn.data());
          const py::tuple returned = sampler(indices, list_of(x));
          value = returned[0].cast<double>();
          take(returned[1], "a gradient", x, gradient);
          take(returned[2], "a product with B", x, bx);
        });
        return value;
      },
      seed);
}

StepRule rule_of(const std::string& name) {
  if (name == "fixed") return StepRule::fixed;
  if (name == "safeguarded") return StepRule::safeguarded;
  if (name == "line_search") return StepRule::line_search;
  if (name == "barzilai_borwein") return StepRule::barzilai_borwein;
  throw UsageError(fmt::format(
      "unknown step rule '{}'; expected fixed, safeguarded, line_search or barzilai_borwein", name));
}

Schedule schedule_of(const std::string& name) {
  if (name == "constant") return Schedule::constant;
  if (name == "inverse_sqrt") return Schedule::inverse_sqrt;
  if (name == "cosine") return Schedule::cosine;
  if (name == "milestones") return Schedule::milestones;
  if (name == "fading") return Schedule::fading;
  throw UsageError(fmt::format(
      "unknown schedule '{}'; expected constant, inverse_sqrt, cosine, milestones or fading", name));
}

template <class T>
std::optional<T> given(const py::dict& options, const char* name) {
  if (options[name].is_none()) return {};
  return options[name].cast<T>();
}

template <class S>
SolverOptions<S> solver_options(const py::dict& options) {
  SolverOptions<S> solving;
  solving.step = {.rule = rule_of(options["rule"].cast<std::string>()),
                  .size = options["step"].cast<double>(),
                  .schedule = schedule_of(options["schedule"].cast<std::string>()),
                  .horizon = options["horizon"].cast<double>(),
                  .milestones = options["milestones"].cast<std::vector<double>>()};
  solving.epsilon = options["epsilon"].cast<double>();
  solving.attraction = options["attraction"].cast<double>();
  solving.omega = given<double>(options, "omega");
  solving.momentum = options["momentum"].cast<double>();
  solving.averaging = given<int>(options, "averaging");
  const auto tolerance = options["tol"].cast<double>();
  solving.stop = (stop::gradient(tolerance) && stop::feasibility(tolerance)) ||
                 stop::iterations(options["max_iter"].cast<std::uint64_t>());
  if (const auto passes = given<double>(options, "passes"))
    solving.stop = solving.stop || stop::passes(*passes);
  if (const auto seconds = given<double>(options, "seconds"))
    solving.stop = solving.stop || stop::seconds(*seconds);
  if (const auto steps = given<std::uint64_t>(options, "patience"))
    solving.stop = solving.stop || stop::patience(*steps);
  return solving;
}

template <class S>
FieldOptions<S> field_options(const py::dict& options, const OperatorPtr<S>& b) {
  FieldOptions<S> field{.direction = parse_direction(options["direction"].cast<std::string>()),
                        .normal = parse_normal(options["normal"].cast<std::string>())};
  if (field.direction == Direction::riemannian) {
    if (!b) throw UsageError("the riemannian direction needs B itself; expected another with a sampler");
    field.preconditioner = inverse_preconditioner<S>(to_dense(*b));
  }
  if (field.direction == Direction::preconditioned) {
    if (!b)
      throw UsageError("the preconditioned direction makes a sketch of B itself; expected B, not a sampler");
    field.preconditioner = sketch_preconditioner<S>(
        *b, {.rank = options["rank"].cast<Index>(), .seed = options["seed"].cast<std::uint64_t>()});
  }
  return field;
}

template <class S>
py::dict result_dict(const Result<S>& result) {
  py::dict dict;
  dict["x"] = list_of(result.x);
  dict["termination"] = to_string(result.termination);
  dict["progress"] = progress_dict(result.progress);
  dict["history"] = history_array(result.history);
  dict["products"] = result.counts.products;
  dict["gradients"] = result.counts.gradients;
  return dict;
}

template <class S>
py::dict run(FieldOracle<S>& oracle, Point<S> start, SolverOptions<S> solving, const py::object& callback,
             Caller& caller) {
  const auto watch = observer(callback, caller);
  solving.observer = [watch](const Progress& progress, const Point<S>&) { return watch(progress); };
  solving.cancel = caller.cancel();
  return result_dict(caller.wait_for([&] { return solve<S>(oracle, std::move(start), std::move(solving)); }));
}

template <class S>
std::vector<OperatorPtr<S>> operators_of(const py::sequence& bs, Caller& caller) {
  std::vector<OperatorPtr<S>> operators;
  for (const auto& b : bs) operators.push_back(operator_of<S>(b.cast<py::tuple>(), caller));
  return operators;
}

template <class S>
py::dict minimize(const py::object& fun, const py::sequence& bs, const py::sequence& x0,
                  const py::dict& options, const py::object& callback, Caller& caller) {
  Point<S> start = point_of<S>(x0);
  const auto operators = operators_of<S>(bs, caller);
  auto made = caller.wait_for([&] {  // K may take products with B
    std::vector<StiefelBlock<S>> blocks;
    for (std::size_t i = 0; i < start.size(); ++i)
      blocks.push_back({operators[i], start[i].cols(), field_options<S>(options, operators[i])});
    return std::make_unique<StiefelOracle<S>>(objective_of<S>(fun, caller), std::move(blocks));
  });
  return run<S>(*made, std::move(start), solver_options<S>(options), callback, caller);
}

template <class S>
py::dict minimize_sampled(const py::object& sampler, Index count, const py::sequence& x0,
                          const py::dict& options, const py::object& callback, Caller& caller) {
  Point<S> start = point_of<S>(x0);
  const auto samples = samples_of<S>(sampler, count, start, options["seed"].cast<std::uint64_t>(), caller);
  const std::vector<FieldOptions<S>> fields(start.size(), field_options<S>(options, nullptr));
  const SamplingOptions sampling{.estimator = parse_estimator(options["estimator"].cast<std::string>()),
                                 .batch = options["batch"].cast<Index>()};
  auto oracle =
      caller.wait_for([&] { return std::make_unique<SampledOracle<S>>(samples, sampling, fields); });
  return run<S>(*oracle, std::move(start), solver_options<S>(options), callback, caller);
}

}  // namespace

void bind_minimize(py::module_& module) {
  module.def(
      "minimize",
      [](const py::object& fun, const py::sequence& bs, const py::sequence& x0, const py::dict& options,
         bool single, const py::object& callback) {
        return interruptibly(py::none(), [=](Caller& caller) {
          return single ? minimize<float>(fun, bs, x0, options, callback, caller)
                        : minimize<double>(fun, bs, x0, options, callback, caller);
        });
      },
      py::arg("fun"), py::arg("b"), py::arg("x0"), py::arg("options"), py::arg("single"),
      py::arg("callback"));
  module.def(
      "minimize_sampled",
      [](const py::object& sampler, Index count, const py::sequence& x0, const py::dict& options, bool single,
         const py::object& callback) {
        return interruptibly(py::none(), [=](Caller& caller) {
          return single ? minimize_sampled<float>(sampler, count, x0, options, callback, caller)
                        : minimize_sampled<double>(sampler, count, x0, options, callback, caller);
        });
      },
      py::arg("sampler"), py::arg("count"), py::arg("x0"), py::arg("options"), py::arg("single"),
      py::arg("callback"));
  module.def(
      "check_gradient",
      [](const py::object& fun, const py::sequence& x, std::uint64_t seed) {
        Caller caller;
        return check_gradient<double>(objective_of<double>(fun, caller), point_of<double>(x), seed);
      },
      py::arg("fun"), py::arg("x"), py::arg("seed"));
  module.def(
      "check_constraint",
      [](const py::tuple& b, const py::sequence& x, std::uint64_t seed) {
        Caller caller;
        const Point<double> point = point_of<double>(x);
        const GeneralizedStiefelConstraint<double> constraint(operator_of<double>(b, caller),
                                                              point.at(0).cols());
        return check_adjoint<double>(constraint, point, seed);
      },
      py::arg("b"), py::arg("x"), py::arg("seed"));
  module.def(
      "check_unbiased",
      [](const py::object& sampler, Index count, const py::sequence& x, const std::string& estimator,
         Index batch, int draws, std::uint64_t seed) {
        Caller caller;
        const Point<double> point = point_of<double>(x);
        const auto samples = samples_of<double>(sampler, count, point, seed, caller);
        const SamplingOptions options{.estimator = parse_estimator(estimator), .batch = batch};
        return caller.wait_for([&] { return check_unbiased<double>(samples, point, options, draws); });
      },
      py::arg("sampler"), py::arg("count"), py::arg("x"), py::arg("estimator"), py::arg("batch"),
      py::arg("draws"), py::arg("seed"));
}

}  // namespace landfall::python
