// Symmetric matrices that Python hands in, as operators.
#pragma once

#include <landfall/linalg/operator.hpp>

#include "caller.hpp"

namespace landfall::python {

/// ("dense", array), ("sparse", values, rows, starts, n) in compressed columns with both triangles,
/// ("gram", array, ridge) for A'A/N + ridge I, or ("product", n, function) with function(X) = B X, which is called on
/// the thread of the caller. The tuple must outlive the operator.
template <class S>
OperatorPtr<S> operator_of(const py::tuple& parts, Caller& caller);

}  // namespace landfall::python
