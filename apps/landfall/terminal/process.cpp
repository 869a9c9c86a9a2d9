#include "terminal/process.hpp"

#include <landfall/data/io/mapped_file.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/fit/plan.hpp>
#include <landfall/parallel/kernels.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace landfall::app {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// OpenBLAS takes a buffer of 128 MiB for each of its threads, and tries without end where there is no room for one. Its
// threads take theirs while the library is loaded, so that their number must be right from the start.
constexpr std::uint64_t program_bytes = 336 * mebibyte;  // code, libraries, one buffer, the thread that reads
constexpr std::uint64_t thread_bytes =
    272 * mebibyte;  // a buffer, the stack, what malloc reserves for a thread
constexpr std::uint64_t stack_bytes = mebibyte;
constexpr const char* threads_variable = "OPENBLAS_NUM_THREADS";
constexpr const char* kernels_variable = "OPENBLAS_CORETYPE";

std::optional<std::uint64_t> limit(__rlimit_resource_t kind) {
  rlimit now{};
  if (getrlimit(kind, &now) != 0 || now.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return now.rlim_cur;
}

void open_closed_streams() {
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR);  // takes the lowest free number
}

int asked_threads() {
  const char* text = std::getenv(threads_variable);
  const int asked = text != nullptr ? std::atoi(text) : 0;
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// The buffers of OpenBLAS, taken before the data can take their place.
void take_blas_buffers() {
  const Index n = 128;
  Matrix<double> a = Matrix<double>::Identity(n, n), b(n, n);
  multiply<double>(a, a, b);
}

/// Asks for wider kernels of BLAS where it chose narrower ones by itself; true where the program must start again for them.
/// It then finds the variable set, and does not ask a second time.
bool ask_for_wider_kernels() {
  if (std::getenv(kernels_variable) != nullptr) return false;
  const std::string wider = blas_kernels().wider;
  return !wider.empty() && ::setenv(kernels_variable, wider.c_str(), 1) == 0;
}

}  // namespace

int most_threads() {
  const auto most = limit(RLIMIT_AS);
  if (!most) return std::numeric_limits<int>::max();
  if (*most < program_bytes) return 0;
  return static_cast<int>(1 + (*most - program_bytes) / thread_bytes);
}

std::string prepare_process(char** arguments) {
  open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a sentence, not a crash
  catch_cut_files();
  if (const auto stack = limit(RLIMIT_STACK); stack && *stack < stack_bytes)
    return fmt::format("the stack is limited to {} (ulimit -s), expected at least {}", memory_text(*stack),
                       memory_text(stack_bytes));
  const auto memory = limit(RLIMIT_AS);
  if (most_threads() < 1)
    return fmt::format("the address space is limited to {} (ulimit -v), expected at least {}",
                       memory_text(*memory), memory_text(program_bytes));
  const bool wider = ask_for_wider_kernels(), fewer = asked_threads() > most_threads();
  if (fewer) ::setenv(threads_variable, std::to_string(most_threads()).c_str(), 1);
  if (wider || fewer) ::execv("/proc/self/exe", arguments);
  if (fewer) return "the program cannot be started again with fewer threads";
  if (memory) take_blas_buffers();
  return "";
}

}  // namespace landfall::app
