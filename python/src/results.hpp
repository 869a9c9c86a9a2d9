// Results of the models as dicts, of offline and online fits alike.
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/fit/timer.hpp>
#include <landfall/models/ica/ica.hpp>
#include <landfall/models/lda/lda.hpp>

#include <ctime>
#include <utility>

#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

/// What some work took: seconds, and processor time of the whole process. What a fit takes beyond them is the cost of Python.
struct Taken {
  double seconds = 0, processor = 0;

  void write(py::dict& result) const {
    result["seconds"]["total"] = seconds;
    result["processor_seconds"] = processor;
  }
};

/// The work, which returns its result with what it took.
template <class Work>
auto timed(Work work) {
  return [work = std::move(work)]() mutable {
    Timer timer;
    const std::clock_t began = std::clock();
    auto result = work();
    const double processor = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    return std::pair(std::move(result), Taken{timer.lap(), processor});
  };
}

template <class S>
py::dict cca_dict(const CcaResult<S>& result);
template <class S>
py::dict ica_dict(const IcaResult<S>& result);
template <class S>
py::dict lda_dict(const LdaResult<S>& result);

}  // namespace landfall::python
