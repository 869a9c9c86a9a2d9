#include <landfall/parallel/threads.hpp>

#include <landfall/errors.hpp>

#include <cblas.h>
#include <fmt/format.h>

namespace landfall {

void set_threads(int count) {
  if (count < 1) throw UsageError(fmt::format("threads must be at least 1, got {}", count));
  openblas_set_num_threads(count);
}

int threads() { return openblas_get_num_threads(); }

}  // namespace landfall
