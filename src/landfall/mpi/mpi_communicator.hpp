// The ranks of an MPI communicator. This is the target landfall::mpi: find_package(landfall COMPONENTS mpi).
//
//   #include <landfall/models/cca/cca.hpp>
//   landfall::CcaOptions options{.components = 5};
//   options.communicator = landfall::mpi_communicator(MPI_COMM_WORLD);    // after MPI_Init; then fit_cca on every rank
#pragma once

#include <landfall/parallel/communicator.hpp>

#include <memory>

#include <mpi.h>

namespace landfall {

/// Uses a duplicate of the communicator, so that messages of the caller cannot mix with ours. It must end before
/// MPI_Finalize, and is used by one thread at a time.
std::shared_ptr<Communicator> mpi_communicator(MPI_Comm ranks);

}  // namespace landfall
