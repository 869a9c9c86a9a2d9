#include "runs/cca_content.hpp"

#include <landfall/data/formats/npy.hpp>

#include "runs/cca_tests.hpp"
#include "runs/run_files.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

/// Null where they are too many for a summary: the csv file has them.
Json few_numbers(const Vector<double>& values) {
  return values.size() > 4096 ? Json() : Json(numbers(values));
}

/// "prediction_left.npy"
std::string view_file(std::string_view what, std::size_t view) {
  return fmt::format("{}_{}.npy", what, find_problem("cca").views[view].name);
}

}  // namespace

template <class S>
void CcaContent<S>::add_numbers(Json& summary) const {
  summary["correlations"] = numbers(result.correlations);
  summary["total_correlation"] = result.correlations.sum();
  summary["regularized_correlations"] = numbers(result.regularized);
  summary["regularized_total"] = result.regularized.sum();
  add_tests(summary, result);
}

template <class S>
void CcaContent<S>::add_more(Json& summary) const {
  if (!curve.is_null()) summary["curve"] = curve;
  if (result.held_out_samples == 0) return;
  summary["held_out_samples"] = result.held_out_samples;
  summary["held_out_correlations"] = numbers(result.held_out);
  summary["held_out_total_correlation"] = result.held_out.sum();
  if (result.prediction_r2[0].size() > 0)
    summary["prediction_r2"] = {few_numbers(result.prediction_r2[0]), few_numbers(result.prediction_r2[1])};
}

template <class S>
void CcaContent<S>::write_files(const std::filesystem::path& folder) const {
  for (std::size_t v = 0; v < 2; ++v) {
    if (result.prediction[v].size() > 0) write_npy<double>(folder / prediction_file(v), result.prediction[v]);
    if (result.regression[v].size() > 0)
      write_npy<double>(folder / view_file("regression", v), result.regression[v]);
  }
}

template <class S>
std::vector<ColumnNumbers> CcaContent<S>::column_numbers() const {
  const auto& intervals = result.bootstrap.loadings;
  std::vector<Matrix<double>> r2;
  for (const auto& of_view : result.prediction_r2) r2.emplace_back(of_view);
  return {{"prediction_r2", r2},
          {"lower", {intervals[0].lower, intervals[1].lower}},
          {"upper", {intervals[0].upper, intervals[1].upper}}};
}

Json curve_json(const std::vector<CurvePoint>& points) {
  Json curve = Json::array();
  for (const CurvePoint& at : points)
    curve.push_back({{"passes", at.passes},
                     {"seconds", at.seconds},
                     {"regularized_total", at.total_correlation},
                     {"infeasibility", at.infeasibility}});
  return curve;
}

std::string prediction_file(std::size_t view) {
  return view_file("prediction", view);
}

template class CcaContent<float>;
template class CcaContent<double>;

}  // namespace landfall::app
