#include "terminal/ranks.hpp"

#include <landfall/errors.hpp>
#include <landfall/parallel/launched_ranks.ipp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "terminal/screen.hpp"
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace landfall::app {
namespace {

constexpr std::string_view kRank = "{rank}";
constexpr double kPatience = 1;  // seconds in which ranks that fail alike come together

ProgramRanks& joined() {
  static ProgramRanks ranks;
  return ranks;
}
LaunchedRanks* launched = nullptr;
int real_standard_error = 2;

/// How many processes a launcher says it has started; 1 where there is none.
int launched_processes() {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})  // Open MPI, MPICH and Slurm, MPICH
    if (const char* text = std::getenv(name)) return std::max(1, std::atoi(text));
  // Slurm with PMIx says how many in a variable of its own.
  if (std::getenv("PMIX_RANK") != nullptr)
    if (const char* text = std::getenv("SLURM_NTASKS")) return std::max(1, std::atoi(text));
  return 1;
}

/// Beside the program in a build folder, or where it is installed.
std::filesystem::path module_path() {
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& path : {folder / "landfall_mpi.so", folder / LANDFALL_MODULE_FOLDER / "landfall_mpi.so"})
    if (std::filesystem::exists(path, ignored)) return path;
  return {};
}

LaunchedRanks* load_module(int& argc, char**& argv, int processes) {
  const auto path = module_path();
  const std::string started = fmt::format("{} processes were started together", processes);
  if (path.empty())
    throw UsageError(fmt::format(
        "{}, but this landfall has no MPI; install libopenmpi-dev and build it again, or run one process",
        started));
  // Where ranks outnumber processors, Open MPI yields the processor each time it is asked for news, which can take a tenth of a
  // second where other programs run. Ranks that wait sleep instead (mpi_wait.ipp).
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
  // MPI loads parts of its own, which look for its functions among the global ones.
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw UsageError(fmt::format("{}, but MPI cannot be loaded: {}", started, ::dlerror()));
  const auto join = reinterpret_cast<decltype(&landfall_join_ranks)>(::dlsym(module, "landfall_join_ranks"));
  if (join == nullptr) throw UsageError(fmt::format("{}: not a module of this landfall", path.string()));
  return join(&argc, &argv);
}

void silence() {
  std::fflush(nullptr);
  real_standard_error = ::dup(2);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
  ::close(nowhere);
}

}  // namespace

void join_ranks(int& argc, char**& argv) {
  const int processes = launched_processes();
  if (processes == 1) return;
  launched = load_module(argc, argv, processes);
  auto communicator = std::make_shared<TimedCommunicator>(launched->communicator());
  if (communicator->size() == 1)
    throw UsageError(fmt::format(
        "{} processes were started together, but each is alone for MPI: this landfall was built with "
        "{}, expected the mpirun that belongs to it",
        processes, launched->library()));
  joined() = {communicator, communicator->rank(), communicator->size(), launched->local_size()};
  if (!ranks().first()) silence();
}

const ProgramRanks& ranks() {
  return joined();
}

void require_one_process(std::string_view what) {
  if (ranks().several())
    throw UsageError(
        fmt::format("{} needs one process, but {} were started; run it without mpirun", what, ranks().size));
}

void fail_on_ranks(int code, std::string_view message) {
  const auto say = [&](std::string_view from) {
    tell("{} {}{}\n", standard_error().painted("landfall:", Paint::error), from, message);
    std::fflush(nullptr);
  };
  if (!ranks().several()) {
    say("");
    std::_Exit(code);
  }
  if (launched->all_here(kPatience)) {
    if (ranks().first()) say("");
    launched->finish();
    std::_Exit(code);
  }
  ::dup2(real_standard_error, 2);
  say(ranks().first() ? "" : fmt::format("rank {}: ", ranks().rank));
  launched->abort(code);
  std::_Exit(code);
}

void finish_ranks() {
  if (launched == nullptr) return;
  joined().communicator.reset();
  launched->finish();
}

std::string path_of_rank(const std::string& path) {
  std::string own = path;
  for (std::size_t at = own.find(kRank); at != std::string::npos; at = own.find(kRank, at))
    own.replace(at, kRank.size(), std::to_string(ranks().rank));
  return own;
}

bool names_rank(std::string_view path) {
  return path.find(kRank) != std::string_view::npos;
}

}  // namespace landfall::app
