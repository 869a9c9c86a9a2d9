// Results of the models as dicts, of offline and online fits alike.
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/lda/lda.hpp>

#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

template <class S>
py::dict cca_dict(const CcaResult<S>& result);
template <class S>
py::dict ica_dict(const IcaResult<S>& result);
template <class S>
py::dict lda_dict(const LdaResult<S>& result);

}  // namespace landfall::python
