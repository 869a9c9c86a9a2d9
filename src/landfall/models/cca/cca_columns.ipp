// What CCA says about columns: loadings, and the prediction of one view from the scores of the other; for cca.cpp.
#pragma once

#include <landfall/models/cca/canonical.hpp>
#include <landfall/models/cca/cca.hpp>

namespace landfall {

/// Loadings, variance explained, redundancy and predictions of the training rows; nothing where the columns are empty.
template <class S>
void set_columns(const DataStream<S>& stream, const CanonicalColumns& columns, const CanonicalMoments& scores,
                 CcaResult<S>& result);

/// How well the predictions do on other rows, whose columns and scores these are.
template <class S>
void set_prediction_r2(const DataStream<S>& stream, const CanonicalColumns& columns,
                       const CanonicalMoments& scores, CcaResult<S>& result);

}  // namespace landfall
