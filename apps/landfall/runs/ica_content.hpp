// A fitted ICA in the summary and the folder of its run.
//
//   IcaContent<float> content;
//   content.result = fit_ica<float>(std::move(data), options);
//   content.stability = ica_stability<float>(*data, content.result, options, 10);
#pragma once

#include <landfall/models/ica/component_choice.hpp>
#include <landfall/models/ica/ica.hpp>

#include <optional>
#include <string_view>

#include "runs/run_content.hpp"

namespace landfall::app {

template <class S>
class IcaContent final : public RunContent<S> {
 public:
  IcaResult<S> result;
  std::optional<double> distance;  // Amari's, to the true mixing matrix
  IcaStability stability;          // of restarts, where there were some
  Json choice;                     // of the number of components (component_choice_json); null: it was given

  const FitResult<S>& fitted() const override { return result; }
  void add_numbers(Json& summary) const override;
  void add_more(Json& summary) const override;
  void write_files(const std::filesystem::path& folder) const override;
};

/// "super-Gaussian" or "sub-Gaussian"
std::string_view source_kind(double sign);

/// The object that landfall cv prints.
Json component_choice_json(const IcaGridResult& found, int restarts);

extern template class IcaContent<float>;
extern template class IcaContent<double>;

}  // namespace landfall::app
