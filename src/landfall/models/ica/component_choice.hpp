// How many components an ICA should have: for each number, how much of the variance they hold and how many of them come back from other starting
// points and on other halves of the rows.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto source = landfall::open_source<float>("mixtures.npy");
//   const auto choice = landfall::choose_ica_components<float>(*source, {}, {.restarts = 10});
//   for (const auto& row : choice.rows) use(row.components, row.explained, row.mean_quality, row.stable);
//   use(choice.rows[choice.chosen].components);
//
// The choice is the number with the most stable components that are not Gaussian (stable_sources()); of several the smallest, which has the fewest that are not. Where there
// are none with any number, it is the smallest number that holds 95 % of the variance, or the
// largest that was tried.
#pragma once

#include <landfall/models/ica/stability.hpp>

namespace landfall {

struct IcaGrid {
  Index most = 0;  // components; 0: the rank of the columns, at most 50
  int restarts = 10;
};

struct IcaGridRow {
  Index components = 0;
  double explained = 1;     // the fraction of the variance; 1 with Reduction::none
  double mean_quality = 0;  // Iq of its clusters
  double worst_quality = 0;
  Index stable = 0;  // components: stable_sources()
  Index runs = 0;    // that did not fail; 0: all did
};

struct IcaGridResult {
  Index samples = 0, rank = 0;
  std::vector<IcaGridRow> rows;  // by number of components, ascending
  std::size_t chosen = 0;        // of these

  bool any_stable() const { return rows[chosen].stable > 0; }
};

/// All numbers from 2 to `most` where these are twelve at most, otherwise twelve of them with even ratios. A single component is always
/// stable, so 1 is tried only where there is nothing else.
std::vector<Index> component_grid(Index most);

/// The row that the rule above chooses.
std::size_t chosen_row(const std::vector<IcaGridRow>& rows);

/// Rows of data are read three times where the whitened ones fit in memory, otherwise each run reads them. UsageError where n x n numbers do not fit
/// in options.memory, or there are no restarts.
template <class S>
IcaGridResult choose_ica_components(Source<S>& data, const IcaOptions& options, const IcaGrid& grid);

extern template IcaGridResult choose_ica_components<float>(Source<float>&, const IcaOptions&, const IcaGrid&);
extern template IcaGridResult choose_ica_components<double>(Source<double>&, const IcaOptions&,
                                                            const IcaGrid&);

}  // namespace landfall
