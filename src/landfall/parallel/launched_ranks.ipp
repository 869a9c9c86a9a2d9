// What the program needs of MPI beside sums. landfall_mpi.so has it: the program loads that module only where a launcher such
// as mpirun has started it, so that it neither needs MPI nor starts slower without.
#pragma once

#include <landfall/parallel/communicator.hpp>

#include <memory>

namespace landfall {

class LaunchedRanks {
 public:
  virtual ~LaunchedRanks() = default;

  virtual std::shared_ptr<Communicator> communicator() const = 0;
  /// Ranks on this machine.
  virtual int local_size() const = 0;
  /// "Open MPI v4.1.4": what the module was built with.
  virtual const char* library() const = 0;
  /// Whether all ranks come here within so many seconds. Where one does not, the only way on is abort().
  virtual bool all_here(double seconds) = 0;
  /// Ends all ranks with this exit code.
  virtual void abort(int code) = 0;
  /// All ranks are done.
  virtual void finish() = 0;
};

}  // namespace landfall

/// The function of the module that joins the ranks; once in a process. The object lives as long as that.
extern "C" landfall::LaunchedRanks* landfall_join_ranks(int* argc, char*** argv);
