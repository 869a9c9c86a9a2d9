// Scores of rows, and how well those of two views correlate.
#include <landfall/models/cca/canonical.hpp>
#include <landfall/run/scores.hpp>

#include <array>

#include "convert.hpp"
#include "inputs.hpp"
#include "models.hpp"
#include "options.hpp"

namespace landfall::python {
namespace {

template <class S>
py::array scores(const Input& input, const py::array& weights, const py::array& mean,
                 const FitOptions& options, Caller& caller) {
  std::vector<ScoredView<S>> views;
  views.push_back({open_watched<S>(input, caller), matrix_of<S>(weights), vector_of<double>(mean)});
  const auto rows = caller.wait_for([&] {
    ScoreReader<S> reader(std::move(views), options.transform);
    std::vector<Matrix<S>> parts;
    for (Matrix<S> part; reader.next(part); parts.push_back(std::move(part)))
      options.cancel.throw_if_requested();
    Index count = 0;
    for (const auto& part : parts) count += part.rows();
    Matrix<S> all(count, reader.cols());
    Index row = 0;
    for (const auto& part : parts) {
      all.middleRows(row, part.rows()) = part;
      row += part.rows();
    }
    return all;
  });
  return array_of<S>(rows);
}

/// Weights of the columns that the stream keeps.
template <class S>
Matrix<S> kept_rows(const Matrix<S>& weights, const Transform<S>& transform) {
  Matrix<S> kept(static_cast<Index>(transform.kept().size()), weights.cols());
  for (Index i = 0; i < kept.rows(); ++i)
    kept.row(i) = weights.row(transform.kept()[static_cast<std::size_t>(i)]);
  return kept;
}

template <class S>
py::array correlations(const std::array<InputPtr, 2>& inputs, const std::array<py::array, 2>& weights,
                       const FitOptions& options, Caller& caller) {
  std::vector<SourcePtr<S>> views;
  for (const auto& input : inputs) views.push_back(open_watched<S>(*input, caller));
  const std::array all{matrix_of<S>(weights[0]), matrix_of<S>(weights[1])};
  const auto found = caller.wait_for([&] {
    DataStream<S> stream(std::move(views),
                         {.batch = 1024,
                          .transform = {.centring = Centring::exact, .missing = options.transform.missing},
                          .cancel = options.cancel});
    return paired_correlations(canonical_moments<S>(stream, Part::training,
                                                    kept_rows(all[0], stream.transform(0)),
                                                    kept_rows(all[1], stream.transform(1))));
  });
  return array_of<double>(found);
}

bool is_single(const py::array& array) {
  return array.dtype().kind() == 'f' && array.itemsize() == 4;
}

}  // namespace

void bind_scores(py::module_& module) {
  module.def(
      "scores",
      [](const InputPtr& input, const py::array& weights, const py::array& mean, const py::dict& options) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        return is_single(weights) ? scores<float>(*input, weights, mean, fitting, caller)
                                  : scores<double>(*input, weights, mean, fitting, caller);
      },
      py::arg("data"), py::arg("weights"), py::arg("mean"), py::arg("options"));
  module.def(
      "paired_correlations",
      [](const InputPtr& left, const InputPtr& right, const py::array& left_weights,
         const py::array& right_weights, const py::dict& options) {
        Caller caller;
        const FitOptions fitting = fit_options(options, py::none(), caller);
        const std::array inputs{left, right};
        const std::array weights{left_weights, right_weights};
        return is_single(left_weights) ? correlations<float>(inputs, weights, fitting, caller)
                                       : correlations<double>(inputs, weights, fitting, caller);
      },
      py::arg("left"), py::arg("right"), py::arg("left_weights"), py::arg("right_weights"),
      py::arg("options"));
}

}  // namespace landfall::python
