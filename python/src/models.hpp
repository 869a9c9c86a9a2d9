// The parts of the module, one function and one file each.
#pragma once

#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_cca(py::module_& module);
void bind_ica(py::module_& module);
void bind_lda(py::module_& module);
void bind_gevp(py::module_& module);
void bind_runs(py::module_& module);  // where the program is built too
void bind_minimize(py::module_& module);
void bind_online(py::module_& module);
void bind_scores(py::module_& module);

}  // namespace landfall::python
