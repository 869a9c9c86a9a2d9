#include "runs/lda_content.hpp"

#include <landfall/data/formats/npy.hpp>

#include "runs/run_files.hpp"

namespace landfall::app {
namespace {

/// Whole numbers, but for sums of weights.
Json counts(const Matrix<double>& confusion, bool weighted) {
  Json rows = Json::array();
  for (Index i = 0; i < confusion.rows(); ++i) {
    const Vector<double> row = confusion.row(i);
    rows.push_back(weighted ? Json(numbers(row)) : Json(std::vector<Index>(row.begin(), row.end())));
  }
  return rows;
}

}  // namespace

template <class S>
void LdaContent<S>::add_numbers(Json& summary) const {
  summary["eigenvalues"] = numbers(result.eigenvalues);
  summary["explained_ratio"] =
      result.explained_ratio.size() > 0 ? Json(numbers(result.explained_ratio)) : Json();
  summary["training_accuracy"] = result.training_accuracy;
  if (result.within_loadings.size() > 0) summary["within_loadings"] = matrix_json(result.within_loadings);
}

template <class S>
void LdaContent<S>::add_more(Json& summary) const {
  const bool weighted = result.sum_of_weights > 0;
  summary["classes"] = result.classes;
  summary["priors"] = numbers(result.priors);
  summary["confusion"] = counts(result.confusion, weighted);
  const bool held_out = result.held_out_confusion.size() > 0;
  if (held_out) summary["held_out_confusion"] = counts(result.held_out_confusion, weighted);
  const ClassRates rates = class_rates(held_out ? result.held_out_confusion : result.confusion);
  summary["precision_by_class"] = numbers(rates.precision);
  summary["recall_by_class"] = numbers(rates.recall);
  if (result.held_out_accuracy) {
    summary["held_out_samples"] = result.held_out_samples;
    summary["held_out_accuracy"] = *result.held_out_accuracy;
  }
}

template <class S>
void LdaContent<S>::write_files(const std::filesystem::path& folder) const {
  write_npy<double>(folder / "centres.npy", result.centres);
}

template <class S>
std::vector<ColumnNumbers> LdaContent<S>::column_numbers() const {
  return {{"within_loading", {result.within_loadings}}};
}

template class LdaContent<float>;
template class LdaContent<double>;

}  // namespace landfall::app
