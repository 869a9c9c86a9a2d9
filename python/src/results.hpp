// Results of the models as dicts, of offline and online fits alike.
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/timer.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/lda/lda.hpp>

#include <utility>

#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

/// The work, which returns its result with the seconds that it took: what there is beyond them is the cost of Python.
template <class Work>
auto timed(Work work) {
  return [work = std::move(work)]() mutable {
    Timer timer;
    auto result = work();
    return std::pair(std::move(result), timer.lap());
  };
}

template <class S>
py::dict cca_dict(const CcaResult<S>& result);
template <class S>
py::dict ica_dict(const IcaResult<S>& result);
template <class S>
py::dict lda_dict(const LdaResult<S>& result);

}  // namespace landfall::python
