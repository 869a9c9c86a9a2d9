// Options of the fits, from the keyword arguments of Python.
#pragma once

#include <landfall/models/fit/options.hpp>

#include "caller.hpp"

namespace landfall::python {

/// TypeError for an unknown name. `callback`, None or a function of the progress, is called after every step on the
/// thread of the caller; True ends the run.
FitOptions fit_options(const py::dict& given, const py::object& callback, Caller& caller);
OnlineOptions online_options(const py::dict& given);

/// The observer of fit_options(), for other solvers. Empty where nobody watches.
std::function<bool(const Progress&)> observer(const py::object& callback, Caller& caller);

}  // namespace landfall::python
