// The ranks of an mpi4py communicator, so that the extension itself needs no MPI.
#pragma once

#include <landfall/parallel/communicator.hpp>

#include <memory>

#include "caller.hpp"

namespace landfall::python {

/// Calls the methods of `comm` on the thread of the caller; both must outlive the communicator. TypeError where it is none.
std::shared_ptr<Communicator> communicator_of(const py::object& comm, Caller& caller);

}  // namespace landfall::python
