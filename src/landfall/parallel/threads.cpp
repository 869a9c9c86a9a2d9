#include <landfall/errors.hpp>
#include <landfall/parallel/cores.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {
namespace {

/// BLAS has one number of threads for the whole process. It changes under a lock, with the count of those who asked for one
/// thread, so that it is 1 as long as somebody does, in whichever order threads come and go.
struct Setting {
  std::mutex mutex;
  int wanted = std::min(openblas_get_num_threads(), available_cores());
  std::atomic<int> serial = 0;  // SerialBlas that live

  Setting() { apply(); }
  void apply() const { openblas_set_num_threads(serial > 0 ? 1 : wanted); }
};

Setting& setting() {
  static Setting one;
  return one;
}

}  // namespace

void set_threads(int count) {
  if (count < 1) throw UsageError(fmt::format("threads must be at least 1, got {}", count));
  Setting& one = setting();
  const std::lock_guard lock(one.mutex);
  one.wanted = count;
  one.apply();
}

int threads() {
  Setting& one = setting();
  const std::lock_guard lock(one.mutex);
  return one.wanted;
}

bool blas_is_serial() {
  return setting().serial > 0;
}

SerialBlas::SerialBlas() {
  Setting& one = setting();
  const std::lock_guard lock(one.mutex);
  if (one.serial++ == 0 && one.wanted > 1) one.apply();
}

SerialBlas::~SerialBlas() {
  Setting& one = setting();
  const std::lock_guard lock(one.mutex);
  if (--one.serial == 0 && one.wanted > 1) one.apply();
}

}  // namespace landfall
