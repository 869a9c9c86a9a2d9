// Results of C++ as plain Python objects: arrays, numbers, texts and dicts of these, which can be pickled.
#pragma once

#include <landfall/models/fit/plan.hpp>
#include <landfall/models/fit/result.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace landfall::python {

namespace py = pybind11;

/// A copy, in the order of columns.
template <class S>
py::array array_of(const Matrix<S>& matrix);
template <class S>
py::array array_of(const Vector<S>& vector);

/// A copy of an array of two dimensions, in precision S; ValueError for another.
template <class S>
Matrix<S> matrix_of(const py::handle& array);
template <class S>
Vector<S> vector_of(const py::handle& array);

py::dict progress_dict(const Progress& progress);
/// One row for each step, with the columns of history.csv.
py::array history_array(const std::vector<Progress>& history);
py::dict plan_dict(const Plan& plan);

/// What every model returns.
template <class S>
py::dict fit_dict(const FitResult<S>& result);

}  // namespace landfall::python
