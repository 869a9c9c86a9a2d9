// How far to trust canonical correlations: keys of the summary, and the table of pairs with the tests beside them.
//
//   add_tests(summary, result);
//   print_pairs(result);
#pragma once

#include <landfall/models/cca/cca.hpp>

#include "problems/summary.hpp"

namespace landfall::app {

/// folds, cross_validated_*, wilks, permutations, permutation_p and bootstrap, of those that there are.
template <class S>
void add_tests(Json& summary, const CcaResult<S>& result);

template <class S>
void print_pairs(const CcaResult<S>& result);

#define LANDFALL_CCA_TESTS(EXTERN, S)                            \
  EXTERN template void add_tests<S>(Json&, const CcaResult<S>&); \
  EXTERN template void print_pairs<S>(const CcaResult<S>&);
LANDFALL_CCA_TESTS(extern, float)
LANDFALL_CCA_TESTS(extern, double)

}  // namespace landfall::app
