// A weight for each row of the data: how much it counts in every mean over rows.
//
//   const landfall::RowWeights weights("weights.csv", {1.0, 2.0, 0.0});    // the third row is left out
//   use(weights[1], weights.unit());    // in units near the mean of those that are not 0
#pragma once

#include <landfall/linalg/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace landfall {

/// Only ratios matter: kept in units of a power of two near the mean of those that are not 0, or of their one value. 8 bytes per row.
class RowWeights {
 public:
  /// `name` says where they are from. DataError with the row for a weight that is negative or not finite, and where all
  /// are 0.
  RowWeights(std::string name, std::vector<double> weights);

  /// Of a row by its number in the source (Batch::numbers()); DataError beyond the last.
  double operator[](Index row) const;

  const std::string& name() const { return name_; }
  Index rows() const { return static_cast<Index>(weights_.size()); }
  /// What a weight of 1 was as given.
  double unit() const { return unit_; }
  /// All that are not 0 are the same: rows are left out, and the others count alike.
  bool equal() const { return equal_; }
  bool has_zeros() const { return has_zeros_; }
  /// All are the same: as good as none.
  bool trivial() const { return equal_ && !has_zeros_; }

  /// DataError with both numbers unless there are as many weights as rows.
  void expect_rows(const std::string& data, Index rows) const;

  /// A fingerprint of the weights as they are kept.
  std::uint64_t mark() const;

 private:
  std::string name_;
  std::vector<double> weights_;
  double unit_ = 1;
  bool equal_ = true, has_zeros_ = false;
};

}  // namespace landfall
