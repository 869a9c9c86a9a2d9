// Results of C++ from the dicts that a fitted model keeps (and pickles): what summaries and run folders are written from.
#pragma once

#include <memory>
#include <string>

#include "runs/run_content.hpp"
#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

/// Of kind "cca", "ica" or "lda". The dict lives longer than the content.
template <class S>
std::unique_ptr<app::RunContent<S>> restored(const std::string& kind, const py::dict& result);

}  // namespace landfall::python
