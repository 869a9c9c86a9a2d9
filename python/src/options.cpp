#include "options.hpp"

#include <landfall/baselines/registry.hpp>
#include <landfall/data/formats/weights.hpp>
#include <landfall/data/rows/missing.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/ica/contrast.hpp>
#include <landfall/run/checkpoints.hpp>

#include <functional>
#include <map>
#include <string>

#include "communicator.hpp"
#include "convert.hpp"
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace landfall::python {
namespace {

template <class Options>
using Setters = std::map<std::string, std::function<void(Options&, const py::handle&)>>;

template <class Options, class T>
auto set(T Options::*field) {
  return [field](Options& options, const py::handle& value) { options.*field = value.cast<T>(); };
}

template <class T>
auto set_landing(T AdaptiveOptions::*field) {
  return [field](FitOptions& options, const py::handle& value) { options.landing.*field = value.cast<T>(); };
}

/// A name of the registry is a baseline; that of a model's own method is not.
void set_method(FitOptions& options, const std::string& name) {
  if (name == "auto" || name == "exact" || name == "landing")
    options.method = parse_fit_method(name);
  else
    options.baseline = name;
}

/// One per row, or the path of a file.
std::shared_ptr<const RowWeights> weights_of(const py::handle& value) {
  if (py::isinstance<py::str>(value))
    return std::make_shared<const RowWeights>(read_weights(value.cast<std::string>()));
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(value);
  if (!numbers || numbers.ndim() != 1) throw UsageError("sample_weight has no numbers, expected one per row");
  return std::make_shared<const RowWeights>(
      "sample_weight", std::vector<double>(numbers.data(), numbers.data() + numbers.size()));
}

template <class Options>
Setters<Options> common_setters() {
  return {{"components", set(&Options::components)},
          {"ridge", set(&Options::ridge)},
          {"relative_ridge", set(&Options::relative_ridge)},
          {"batch", set(&Options::batch)},
          {"first_rows", set(&Options::first_rows)},
          {"guard", set(&Options::guard)},
          {"memory", set(&Options::memory)},
          {"seed", set(&Options::seed)},
          {"contrast", [](Options& options, const py::handle& value) {
             options.contrast = parse_contrast(value.cast<std::string>());
           }}};
}

Setters<FitOptions> fit_setters() {
  Setters<FitOptions> setters = common_setters<FitOptions>();
  setters.merge(Setters<FitOptions>{
      {"passes", set(&FitOptions::passes)},
      {"tolerance", set(&FitOptions::tolerance)},
      {"max_passes", set(&FitOptions::most_passes)},
      {"held_out", set(&FitOptions::held_out)},
      {"folds", set(&FitOptions::folds)},
      {"permutations", set(&FitOptions::permutations)},
      {"bootstrap", set(&FitOptions::bootstrap)},
      {"method", [](auto& options, auto& value) { set_method(options, value.template cast<std::string>()); }},
      {"reduction",
       [](auto& options, auto& value) {
         const auto name = value.template cast<std::string>();
         if (name != "pca" && name != "none")
           throw UsageError(fmt::format("unknown reduction '{}'; expected pca or none", name));
         options.reduction = name == "pca" ? Reduction::pca : Reduction::none;
       }},
      {"center",
       [](auto& options, auto& value) {
         if (!value.template cast<bool>()) options.transform.centring = Centring::none;
       }},
      {"scale",
       [](auto& options, auto& value) {
         if (value.template cast<bool>()) options.transform.scaling = Scaling::deviation;
       }},
      {"rows",
       [](auto& options, auto& value) {
         const auto name = value.template cast<std::string>();
         if (name != "shared" && name != "own")
           throw UsageError(fmt::format("unknown division '{}' of rows; expected shared or own", name));
         options.rank_rows = name == "own" ? RankRows::own : RankRows::shared;
       }},
      {"weights", [](auto& options, auto& value) { options.weights = weights_of(value); }},
      {"missing",
       [](auto& options, auto& value) {
         options.transform.missing = parse_missing(value.template cast<std::string>());
       }},
      {"step", set_landing(&AdaptiveOptions::step)},
      {"momentum", set_landing(&AdaptiveOptions::momentum)},
      {"attraction", set_landing(&AdaptiveOptions::omega)},
      {"rank", set_landing(&AdaptiveOptions::rank)},
      {"warm_up", set_landing(&AdaptiveOptions::warm_up)},
      {"estimator", [](auto& options, auto& value) {
         options.landing.estimator = parse_estimator(value.template cast<std::string>());
       }}});
  return setters;
}

/// None leaves the default.
template <class Options>
void fill(Options& options, const Setters<Options>& setters, const py::dict& given) {
  for (const auto& [key, value] : given) {
    const auto name = key.template cast<std::string>();
    if (name == "checkpoint" || name == "comm") continue;
    const auto at = setters.find(name);
    if (at == setters.end()) throw py::type_error(fmt::format("unknown option '{}'", name));
    if (value.is_none()) continue;
    try {
      at->second(options, value);
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{} = {} has the wrong type", name, std::string(py::repr(value))));
    }
  }
}

/// Ctrl-C writes a checkpoint while landing runs, and cancels before and after.
Checkpoints checkpoints(const py::dict& given, Caller& caller, const std::shared_ptr<Communicator>& ranks) {
  auto run = std::make_shared<RunCheckpoints>(RunCheckpointOptions{
      .folder = given["folder"].cast<std::string>(),
      .options = given["options"].cast<std::vector<std::pair<std::string, std::string>>>(),
      .every = given["every"].cast<double>(),
      .resume = given["resume"].cast<bool>(),
      .stop = [&caller] { return caller.asked_to_end(); },
      .communicator = ranks});
  Checkpoints hooks = run->hooks();
  caller.hold(run);
  hooks.due = [&caller, due = hooks.due] {
    caller.set_saving(true);
    return due();
  };
  hooks.finish = [&caller, finish = hooks.finish](const std::string& state) {
    caller.set_saving(false);
    finish(state);
  };
  return hooks;
}

}  // namespace

std::function<bool(const Progress&)> observer(const py::object& callback, Caller& caller) {
  const bool called = !callback.is_none();
  return [&caller, called, handle = py::handle(callback)](const Progress& progress) {
    caller.note(progress);
    if (!called) return !caller.cancel().requested();
    bool stop = false;
    caller.call([&] {
      try {
        const py::object answer = handle(progress_dict(progress));
        stop = !answer.is_none() && answer.cast<bool>();
      } catch (const py::error_already_set& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        caller.interrupt(std::current_exception());  // Ctrl-C while the callback ran
      }
    });
    return !stop && !caller.cancel().requested();
  };
}

FitOptions fit_options(const py::dict& given, const py::object& callback, Caller& caller) {
  static const Setters<FitOptions> setters = fit_setters();
  FitOptions options;
  fill(options, setters, given);
  options.observer = observer(callback, caller);
  options.cancel = caller.cancel();
  if (given.contains("comm") && !given["comm"].is_none())
    options.communicator = communicator_of(given["comm"], caller);
  if (given.contains("checkpoint"))
    options.checkpoints = checkpoints(given["checkpoint"].cast<py::dict>(), caller, options.communicator);
  return options;
}

OnlineOptions online_options(const py::dict& given) {
  static const Setters<OnlineOptions> setters = common_setters<OnlineOptions>();
  OnlineOptions options;
  fill(options, setters, given);
  return options;
}

}  // namespace landfall::python
