// What the states of the online models share. Their first rows are part of the state: the preconditioner and the warm-up are
// made from them again, which takes no code of its own and gives the same bits.
//
//   landfall::StateWriter out;
//   std::optional<landfall::OnlineRows<float>> rows;
//   landfall::state_of_rows(out, {.saved = true}, rows, landfall::OnlineRows<float>({"data"}, {}));
#pragma once

#include <landfall/data/rows/online_rows.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/fit/options.hpp>

#include <optional>
#include <utility>

namespace landfall {

/// Saves the rows, or restores them into `fresh`.
template <class S>
void state_of_rows(State& state, const OnlineOptions& options, std::optional<OnlineRows<S>>& rows,
                   OnlineRows<S> fresh) {
  if (!options.saved)
    throw UsageError("the state of an online model needs its first rows; set OnlineOptions::saved");
  bool there = rows.has_value();
  state(there);
  if (!there) return;
  if (state.loading()) rows.emplace(std::move(fresh));
  rows->state(state);
}

/// Calls start() while `rows` are as they were when the first ones were complete.
template <class S, class Start>
void with_first_rows(std::optional<OnlineRows<S>>& rows, OnlineRows<S> fresh, Start start) {
  OnlineRows<S> now = std::exchange(*rows, std::move(fresh));
  for (std::size_t k = 0; k < now.first_batches().size(); ++k) {
    std::vector<const Batch<S>*> views;
    for (const auto& view : now.first_batches()[k]) views.push_back(&view);
    rows->push(views, {}, now.first_weights(k));
    rows->next();
  }
  start();
  *rows = std::move(now);
}

}  // namespace landfall
