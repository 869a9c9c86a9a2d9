// How many threads the large dense products and factorisations use. Process-wide, because BLAS keeps one
// pool.
//
//   landfall::set_threads(2);
//   {
//     landfall::SerialBlas serial;    // small products here run in the calling thread
//   }
#pragma once

namespace landfall {

/// At least 1; throws UsageError otherwise.
void set_threads(int count);

int threads();

/// While one lives, BLAS runs in the thread that calls it. They may be nested.
class SerialBlas {
 public:
  SerialBlas();
  ~SerialBlas();
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;
};

}  // namespace landfall
