// landfall._core: what the package calls. It only converts and calls the library.
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/version.hpp>

#include <cstdlib>

#include "inputs.hpp"
#include "models.hpp"

namespace landfall::python {
namespace {

/// The package has asked for these kernels, or the user has, and OpenBLAS was loaded before.
void warn_of_kernels() {
  const BlasKernels blas = blas_kernels();
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  if (blas.wider.empty() || asked == nullptr || blas.wider != asked) return;
  const std::string warning = kernel_warning(blas) + ", or import landfall before what loads OpenBLAS";
  if (PyErr_WarnEx(PyExc_RuntimeWarning, warning.c_str(), 1) != 0) throw py::error_already_set();
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ library of Landfall; use the classes and functions of the package instead.";
  module.attr("version") = std::string(version());
  module.def("set_threads", &set_threads, py::arg("count"));
  module.def("threads", &threads);
  module.def("describe_computation", &describe_computation);
  warn_of_kernels();
  module.def("detached", &detached_calls);
  py::module_::import("atexit").attr("register")(py::cpp_function(&wait_for_detached));
  bind_errors(module);
  bind_inputs(module);
  bind_cca(module);
  bind_ica(module);
  bind_lda(module);
  bind_gevp(module);
  bind_scores(module);
  bind_minimize(module);
  bind_online(module);
#ifdef LANDFALL_HAS_RUNS
  bind_runs(module);
#endif
}

}  // namespace landfall::python
