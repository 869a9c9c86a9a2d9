// The ranks that the program runs as: those that mpirun has started, or one.
//
//   join_ranks(argc, argv);                       // once, in main()
//   options.communicator = ranks().communicator;  // null: one process
//   if (ranks().first()) write_results();
//   finish_ranks();
#pragma once

#include <landfall/parallel/timed_communicator.hpp>

#include <string>
#include <string_view>

namespace landfall::app {

struct ProgramRanks {
  std::shared_ptr<TimedCommunicator> communicator = {};  // null: one process
  int rank = 0, size = 1;
  int local_size = 1;  // on this machine

  bool first() const { return rank == 0; }
  bool several() const { return size > 1; }
};

/// Where a launcher has started several processes: joins them. The others than rank 0 print nothing from then on. UsageError
/// where the program has no MPI, or another than the launcher.
void join_ranks(int& argc, char**& argv);
const ProgramRanks& ranks();

/// UsageError where there are several ranks.
void require_one_process(std::string_view what);

/// Ends the program, on all ranks, with one sentence: that of rank 0 where all come here, else that of the rank that does.
[[noreturn]] void fail_on_ranks(int code, std::string_view message);
void finish_ranks();

/// "parts/{rank}.npy" on rank 3: "parts/3.npy".
std::string path_of_rank(const std::string& path);
bool names_rank(std::string_view path);

}  // namespace landfall::app
