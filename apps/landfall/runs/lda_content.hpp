// A fitted LDA in the summary and the folder of its run.
//
//   LdaContent<float> content;
//   content.result = fit_lda<float>(std::move(data), labels, options);
#pragma once

#include <landfall/models/lda/lda.hpp>

#include "runs/run_content.hpp"

namespace landfall::app {

template <class S>
class LdaContent final : public RunContent<S> {
 public:
  LdaResult<S> result;

  const FitResult<S>& fitted() const override { return result; }
  void add_numbers(Json& summary) const override;
  void add_more(Json& summary) const override;
  void write_files(const std::filesystem::path& folder) const override;
  std::vector<ColumnNumbers> column_numbers() const override;
};

extern template class LdaContent<float>;
extern template class LdaContent<double>;

}  // namespace landfall::app
