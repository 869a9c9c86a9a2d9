#include <landfall/data/dense_rows.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/models/covariance.hpp>

#include <algorithm>

#include <cblas.h>

namespace landfall {
namespace {

// products.hpp has a'a; with the rows of a batch as columns it is a a' that is wanted.
void syrk(int n, int k, const double* a, int lda, double* c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, k, 1, a, lda, 1, c, n);
}
void syrk(int n, int k, const float* a, int lda, float* c) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, k, 1, a, lda, 1, c, n);
}

/// sum += a a', the lower triangle alone: half of the work.
template <class S>
void add_square(In<S> a, Matrix<S>& sum) {
  syrk(static_cast<int>(a.rows()), static_cast<int>(a.cols()), a.data(), static_cast<int>(a.outerStride()),
       sum.data());
}

}  // namespace

template <class S>
Covariances<S> covariances(DataStream<S>& stream) {
  Covariances<S> sums;
  std::vector<Index> features;
  for (std::size_t i = 0; i < stream.views(); ++i) {
    features.push_back(static_cast<Index>(stream.transform(i).kept().size()));
    sums.within.push_back(Matrix<S>::Zero(features[i], features[i]));
  }
  if (features.size() == 2) sums.cross.setZero(features[0], features[1]);

  DenseRows<S> left_rows, right_rows;
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    const auto left = left_rows(stream.view(0));
    add_square<S>(left, sums.within[0]);
    if (features.size() == 2) {
      const auto right = right_rows(stream.view(1));
      add_square<S>(right, sums.within[1]);
      multiply_bt<S>(left, right, sums.cross, 1, 1);
    }
    sums.rows += stream.view(0).rows();
  }
  const S scale = S(1) / static_cast<S>(std::max<Index>(sums.rows, 1));
  for (auto& within : sums.within) {
    within *= scale;
    within.template triangularView<Eigen::StrictlyUpper>() = within.transpose();
  }
  sums.cross *= scale;
  return sums;
}

template Covariances<float> covariances<float>(DataStream<float>&);
template Covariances<double> covariances<double>(DataStream<double>&);

}  // namespace landfall
