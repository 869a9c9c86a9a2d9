// What the online models share: how they start landing on their first rows (landing/subspace), and what they report of it.
//
//   landfall::OnlineRows<float> rows({"left", "right"}, {.scaling = landfall::Scaling::row_size});
//   const landfall::OnlineRidge ridge{.rows = 30};
//   auto landing = landfall::start_online<float>(rows, {}, {.objective = landfall::correlation_objective<float>(),
//                                                           .components = 5, .columns = 20, .ridge = ridge});
//   while (rows.next()) landfall::step_online(*landing, rows);
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/landing/subspace/subspace_landing.hpp>
#include <landfall/models/fit/options.hpp>
#include <landfall/models/fit/result.hpp>
#include <landfall/models/fit/ridge.hpp>

#include <memory>

namespace landfall {

/// A multiple of the identity in the coordinates of the rows; or that of so many rows, over as many as were seen.
struct OnlineRidge {
  double value = 0;
  double rows = 0;
};

/// Columns are scaled as those of a planned fit are.
Scaling online_scaling(const OnlineOptions& options);
/// The ridge that was given, if one was.
std::optional<OnlineRidge> given_ridge(const OnlineOptions& options);

template <class S>
struct OnlineStart {
  ScoreObjective<S> objective;
  Index components = 1;  // p
  Index columns = 1;     // with the guards
  OnlineRidge ridge = {};
  bool more = true;  // rows will follow; else the first are all there are
};

/// NumericalError where a view has not rank p in the first rows.
template <class S>
std::unique_ptr<SubspaceLanding<S>> start_online(const OnlineRows<S>& rows, const OnlineOptions& options,
                                                 const OnlineStart<S>& start);

/// One step with the batch that next() filled. NumericalError where the numbers are no longer finite.
template <class S>
void step_online(SubspaceLanding<S>& landing, OnlineRows<S>& rows);

/// X'BX as landing estimates it, symmetric, with eigenvalues of 1/4 at least: below that an estimate is noise.
Matrix<double> plausible_metric(const Matrix<double>& estimate);

/// Of weights W with W'(S + ridge I)W = I: NumericalError unless each of them has variance.
template <class S>
void require_online_rank(std::string_view name, const Matrix<double>& weights, double ridge, Index rows);

/// What a model reports of its run.
template <class S, class Landing>
void set_online_run(const Landing& landing, Index rows, Index batch, FitResult<S>& result) {
  result.method = FitMethod::landing;
  result.method_name = to_string(result.method);
  result.reason = "rows arrive in a stream";
  result.samples = rows;
  result.stationarity = landing.progress().stationarity;
  result.iterations = landing.progress().iteration;
  result.back_offs = landing.progress().back_offs;
  result.batch = batch;
  result.choice = landing.choice();
  result.termination = Termination::running;
}

#define LANDFALL_ONLINE_LANDING(EXTERN, S)                                  \
  EXTERN template std::unique_ptr<SubspaceLanding<S>> start_online<S>(      \
      const OnlineRows<S>&, const OnlineOptions&, const OnlineStart<S>&);   \
  EXTERN template void step_online<S>(SubspaceLanding<S>&, OnlineRows<S>&); \
  EXTERN template void require_online_rank<S>(std::string_view, const Matrix<double>&, double, Index);
LANDFALL_ONLINE_LANDING(extern, float)
LANDFALL_ONLINE_LANDING(extern, double)

}  // namespace landfall
