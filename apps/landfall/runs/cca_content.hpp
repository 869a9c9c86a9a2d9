// A fitted CCA in the summary and the folder of its run.
//
//   CcaContent<float> content;
//   content.result = fit_cca<float>(std::move(left), std::move(right), options);
//   add_curve(content.curve, curve.points());
#pragma once

#include <landfall/models/cca/cca.hpp>
#include <landfall/models/cca/curve.hpp>

#include "runs/run_content.hpp"

namespace landfall::app {

template <class S>
class CcaContent final : public RunContent<S> {
 public:
  CcaResult<S> result;
  Json curve;  // evaluations on the way; null: none were asked for

  const FitResult<S>& fitted() const override { return result; }
  void add_numbers(Json& summary) const override;
  void add_more(Json& summary) const override;
  void write_files(const std::filesystem::path& folder) const override;
  std::vector<ColumnNumbers> column_numbers() const override;
};

Json curve_json(const std::vector<CurvePoint>& points);

/// prediction_left.npy or prediction_right.npy: the columns of a view by the scores of the other.
std::string prediction_file(std::size_t view);

extern template class CcaContent<float>;
extern template class CcaContent<double>;

}  // namespace landfall::app
