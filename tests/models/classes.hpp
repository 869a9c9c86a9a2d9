// Rows with classes for the tests of LDA, and what LDA is by brute force.
#pragma once

#include <landfall/models/lda/lda.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <data/memory_source.hpp>
#include <support.hpp>

namespace landfall::test {

inline Labels labels_from(const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> names;
  for (std::uint32_t c = 0;
       rows.end() != std::find_if(rows.begin(), rows.end(), [&](auto r) { return r >= c; }); ++c)
    names.push_back("class " + std::to_string(c));
  return {"labels.csv", names, rows};
}

template <class S>
SourcePtr<S> rows_of(RowMatrix<S> rows, bool sparse = false) {
  return std::make_unique<test::MemorySource<S>>(
      MemoryFile<S>{.rows = std::move(rows), .name = "data.csv", .random_access = true, .sparse = sparse});
}

template <class S>
struct Classes {
  RowMatrix<S> rows;
  std::vector<std::uint32_t> of;
  Labels labels() const { return labels_from(of); }
};

/// Gaussian classes of different sizes, about means that differ by `apart` standard deviations or so, seen
/// through a mixing of condition 10. A part of the entries is zero if `sparse`, then without the mixing.
template <class S>
Classes<S> made_up_classes(Index rows, Index n, Index classes, double apart, std::uint64_t seed,
                           bool sparse = false) {
  const Matrix<double> noise = gaussian<double>(rows, n, {seed, 1}),
                       means = gaussian<double>(classes, n, {seed, 2});
  const Matrix<double> where = gaussian<double>(rows, 1, {seed, 3}),
                       zero = gaussian<double>(rows, n, {seed, 4});
  Matrix<double> all(rows, n);
  std::vector<std::uint32_t> of;
  for (Index i = 0; i < rows; ++i) {
    const double u = 0.5 * std::erfc(-where(i, 0) / std::sqrt(2.0));  // uniform
    const auto c = std::min<Index>(classes - 1, static_cast<Index>(u * u * static_cast<double>(classes)));
    of.push_back(static_cast<std::uint32_t>(c));
    all.row(i) = noise.row(i) + apart * means.row(c) / std::sqrt(static_cast<double>(n));
  }
  if (sparse)
    all = (zero.array() > 0.5).select(all, 0.0).eval();
  else
    all = (all * random_spd<double>(n, 10, seed)).eval();
  all.rowwise() += Matrix<double>::Constant(1, n, sparse ? 0.0 : 3.0).row(0);
  return {all.cast<S>(), of};
}

/// S_w + ridge I and S_b from their definitions, and the leading eigenvectors of one against the other.
struct BruteForce {
  template <class S>
  BruteForce(const Classes<S>& data, double ridge, Index p) {
    const Matrix<double> a = data.rows.template cast<double>();
    const Index n = a.cols(), count = a.rows();
    const Vector<double> mean = a.colwise().mean().transpose();
    within.setZero(n, n);
    between.setZero(n, n);
    for (std::uint32_t c = 0; c <= *std::max_element(data.of.begin(), data.of.end()); ++c) {
      Vector<double> sum = Vector<double>::Zero(n);
      Index size = 0;
      for (Index i = 0; i < count; ++i)
        if (data.of[static_cast<std::size_t>(i)] == c) sum += a.row(i).transpose(), ++size;
      const Vector<double> m = sum / static_cast<double>(size);
      for (Index i = 0; i < count; ++i)
        if (data.of[static_cast<std::size_t>(i)] == c)
          within += (a.row(i).transpose() - m) * (a.row(i).transpose() - m).transpose();
      between += static_cast<double>(size) * (m - mean) * (m - mean).transpose();
    }
    within /= static_cast<double>(count);
    between /= static_cast<double>(count);
    within.diagonal().array() += ridge;
    all = pencil_eigenvalues(between, within).reverse();
    values = all.head(p);
    vectors = pencil_eigenvectors(between, within).rowwise().reverse().leftCols(p);
  }

  Matrix<double> within, between, vectors;
  Vector<double> values, all;
};

/// The sine of the largest angle between the spans of two sets of columns.
inline double largest_sine(const Matrix<double>& a, const Matrix<double>& b) {
  const Matrix<double> qa = orthonormal_basis(a), qb = orthonormal_basis(b);
  return singular_values(qa - qb * (qb.transpose() * qa))(0);
}

}  // namespace landfall::test
