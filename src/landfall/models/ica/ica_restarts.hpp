// ICA from other starting points and on other halves of the rows, with any number of components. Random starts alone show only whether f has one
// minimum: on finitely many Gaussian rows it may, where chance has put it. Halves show whether it is there in other rows too, as
// the bootstrap does, whose variance they have.
//
// Where the whitened rows fit in memory they are read, centred and whitened once, and each run iterates over half of them from one random
// start; otherwise each run fits anew.
//
//   #include <landfall/data/formats/open_source.hpp>
//   const auto source = landfall::open_source<float>("mixtures.npy");
//   landfall::IcaRestarts<float> restarts(*source, {}, 5);
//   const auto first = restarts.run(5, 0), second = restarts.run(5, 1);
//   use(restarts.runs(5, 10).size());
//   use(first->weights.transpose() * second->mixing);    // correlations of the sources of both runs
#pragma once

#include <landfall/models/ica/ica.hpp>
#include <landfall/models/ica/whitening.hpp>

#include <optional>

namespace landfall {

/// The sources of one run, in the units of the file. They have unit variance, so for two runs weights' mixing has their correlations.
struct IcaSources {
  Matrix<double> weights, mixing;  // a row for each column of the file
  /// |E g(y) - E g(Gaussian)| of each source over the rows of the run, in standard errors of a Gaussian source; empty: not known.
  Vector<double> departure = {};
};

template <class S>
IcaSources sources_of(const IcaResult<S>& result);

template <class S>
class IcaRestarts {
 public:
  /// `most`: components of a run; 0: the rank of the columns. The source must outlive it; the observer and the checkpoints of the options are
  /// not used.
  IcaRestarts(Source<S>& data, const IcaOptions& options, Index most);

  /// Whether runs read nothing.
  bool in_memory() const { return scores_.size() > 0; }
  /// Of the columns, and at most so many components; 0 where n x n numbers do not fit in memory or there are several ranks.
  Index rank() const { return rank_; }
  /// The fraction of the variance of the columns that is in the first p principal components, in the units of the file.
  double explained(Index p) const;
  /// Training rows; 0 where rank() is 0.
  Index rows() const { return rows_; }

  /// The start and the half of the rows depend on the seed and the number of the restart. Unset where the run fails numerically.
  std::optional<IcaSources> run(Index p, int restart);
  /// Restarts 0 ... count - 1, less those that failed. Threads take runs in memory one by one.
  std::vector<IcaSources> runs(Index p, int count);

 private:
  void whiten_rows(DataStream<S>& stream);
  void read_scores(DataStream<S>& stream);
  int threads_for(Index p) const;
  std::vector<Index> half_of_rows(std::uint64_t seed) const;
  IcaSources iterate(Index p, std::uint64_t seed) const;

  Source<S>& data_;
  IcaOptions options_;
  Index most_, rank_ = 0, rows_ = 0;
  Whitening whitening_;  // with the rank as its number of columns, or the first most_ principal components
  bool by_variance_ = false;   // its columns are principal components, in descending order
  Matrix<double> scores_;      // of all rows, by the factor of the whitening; empty: not in memory
  Vector<double> roots_;       // of their weights, by which these are multiplied; empty: all weigh the same
  Vector<double> scale_;       // of the columns that vary
  std::vector<Index> places_;  // of these in the file
};

extern template IcaSources sources_of<float>(const IcaResult<float>&);
extern template IcaSources sources_of<double>(const IcaResult<double>&);
extern template class IcaRestarts<float>;
extern template class IcaRestarts<double>;

}  // namespace landfall
