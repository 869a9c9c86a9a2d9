#include <landfall/errors.hpp>
#include <landfall/parallel/threads.hpp>

#include <atomic>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {
namespace {

/// What to go back to after a SerialBlas; kept apart from BLAS's own setting, which another thread may just
/// have lowered.
std::atomic<int>& wanted() {
  static std::atomic<int> count{openblas_get_num_threads()};
  return count;
}

/// How many SerialBlas live: they may be nested.
std::atomic<int>& serial() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace

void set_threads(int count) {
  if (count < 1) throw UsageError(fmt::format("threads must be at least 1, got {}", count));
  wanted() = count;
  openblas_set_num_threads(count);
}

int threads() {
  return wanted();
}

SerialBlas::SerialBlas() {
  if (serial()++ == 0 && wanted() > 1) openblas_set_num_threads(1);
}

SerialBlas::~SerialBlas() {
  if (--serial() == 0 && wanted() > 1) openblas_set_num_threads(wanted());
}

}  // namespace landfall
