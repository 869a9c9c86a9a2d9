// landfall._core: what the package calls. It only converts and calls the library.
#include <landfall/parallel/threads.hpp>
#include <landfall/version.hpp>

#include "inputs.hpp"
#include "models.hpp"

namespace landfall::python {

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ library of Landfall; use the classes and functions of the package instead.";
  module.attr("version") = std::string(version());
  module.def("set_threads", &set_threads, py::arg("count"));
  module.def("threads", &threads);
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
