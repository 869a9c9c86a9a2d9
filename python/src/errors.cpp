// Exceptions of the library as Python's: misuse and bad data are a ValueError, and a cancelled run is never seen, since the
// signal that cancelled it is raised instead.
#include <landfall/errors.hpp>

#include "models.hpp"

namespace landfall::python {

void bind_errors(py::module_& module) {
  static const py::exception<DataError> data(module, "DataError", PyExc_ValueError);
  static const py::exception<NumericalError> numerical(module, "NumericalError", PyExc_ValueError);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const UsageError& usage) {
      PyErr_SetString(PyExc_ValueError, usage.what());
    } catch (const DataError& bad) {
      PyErr_SetString(data.ptr(), bad.what());
    } catch (const NumericalError& failed) {
      PyErr_SetString(numerical.ptr(), failed.what());
    } catch (const Cancelled&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace landfall::python
