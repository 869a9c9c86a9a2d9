// How many threads the large dense products and factorisations use. Process-wide: BLAS keeps one pool.
//
//   landfall::set_threads(2);
#pragma once

namespace landfall {

/// At least 1; throws UsageError otherwise.
void set_threads(int count);

int threads();

}  // namespace landfall
