// Tables of Arrow by its C stream interface (arrow.apache.org/docs/format/CStreamInterface.html).
#pragma once

#include "inputs.hpp"

namespace landfall::python {

/// Anything with __arrow_c_stream__: record batches whose columns are numbers, read anew for each pass. Missing values are
/// NaN. TypeError for another type of columns.
InputPtr arrow_input(py::object table, const std::string& name);

}  // namespace landfall::python
