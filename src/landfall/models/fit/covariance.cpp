#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <type_traits>

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

/// What two views add: four products of the same size, which threads take one by one.
template <class S>
void add_pair(In<S> left, In<S> right, Covariances<S>& sums, int workers) {
  const Index half = left.rows() / 2, rest = left.rows() - half;
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int part = next++; part < 4; part = next++) {
      if (part < 2) add_square<S>(part == 0 ? left : right, sums.within[static_cast<std::size_t>(part)]);
      if (part == 2) multiply_bt<S>(left.topRows(half), right, sums.between[0].topRows(half), 1, 1);
      if (part == 3) multiply_bt<S>(left.bottomRows(rest), right, sums.between[0].bottomRows(rest), 1, 1);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < workers; ++i) others.emplace_back(work);
  work();
}

/// The rows of a batch as columns, in precision Sum.
template <class S, class Sum>
class ConvertedRows {
 public:
  Eigen::Ref<const Matrix<Sum>> operator()(const CentredBatch<S>& view) {
    if constexpr (std::is_same_v<S, Sum>) return rows_(view);
    converted_ = rows_(view).template cast<Sum>();
    return converted_;
  }

 private:
  DenseRows<S> rows_;
  Matrix<Sum> converted_;
};

template <class T>
Covariances<T> zeros(const std::vector<Index>& features) {
  Covariances<T> sums;
  for (std::size_t j = 0; j < features.size(); ++j) {
    sums.within.push_back(Matrix<T>::Zero(features[j], features[j]));
    for (std::size_t i = 0; i < j; ++i) sums.between.push_back(Matrix<T>::Zero(features[i], features[j]));
  }
  return sums;
}

/// What the rows of the current batch add, in precision T.
template <class S, class T>
void add_batch(const DataStream<S>& stream, std::vector<ConvertedRows<S, T>>& rows, Covariances<T>& sums,
               int workers) {
  if (stream.views() == 2)
    return add_pair<T>(rows[0](stream.view(0)), rows[1](stream.view(1)), sums, workers);
  std::size_t pair = 0;
  for (std::size_t j = 0; j < stream.views(); ++j) {
    const auto right = rows[j](stream.view(j));
    add_square<T>(right, sums.within[j]);
    for (std::size_t i = 0; i < j; ++i)
      multiply_bt<T>(rows[i](stream.view(i)), right, sums.between[pair++], 1, 1);
  }
}

/// to += from; from = 0.
template <class S, class Sum>
void move_sums(std::vector<Matrix<S>>& from, std::vector<Matrix<Sum>>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] += from[i].template cast<Sum>();
    from[i].setZero();
  }
}

/// Rows of one fold, kept until there are enough of them for a product.
template <class S>
class FoldRows {
 public:
  FoldRows(const std::vector<Index>& features, Products products)
      : narrow_(products == Products::single), few_(zeros<S>(features)) {
    sums_.covariances = zeros<double>(features);
    for (const Index n : features) {
      rows_.emplace_back(n, kFoldRows);
      sums_.means.push_back(Vector<double>::Zero(n));
    }
  }

  void add(const std::vector<Eigen::Ref<const Matrix<S>>>& views, Index row, int workers) {
    for (std::size_t v = 0; v < rows_.size(); ++v) rows_[v].col(filled_) = views[v].col(row);
    if (++filled_ == kFoldRows) multiply(workers);
  }

  FoldCovariances finish(Communicator& communicator, int workers) {
    multiply(workers);
    Covariances<double>& sums = sums_.covariances;
    reduce(communicator, sums.within, sums.between, sums.rows, sums_.means);
    const double scale = 1 / static_cast<double>(std::max<Index>(sums.rows, 1));
    for (auto& within : sums.within) {
      within *= scale;
      within.template triangularView<Eigen::StrictlyUpper>() = within.transpose();
    }
    for (auto& between : sums.between) between *= scale;
    for (auto& mean : sums_.means) mean *= scale;
    return std::move(sums_);
  }

 private:
  void multiply(int workers) {
    if (filled_ == 0) return;
    Covariances<double>& sums = sums_.covariances;
    const auto left = rows_[0].leftCols(filled_), right = rows_[1].leftCols(filled_);
    if (narrow_) {
      add_pair<S>(left, right, few_, workers);
      move_sums(few_.within, sums.within);
      move_sums(few_.between, sums.between);
    } else {
      add_pair<double>(left.template cast<double>(), right.template cast<double>(), sums, workers);
    }
    for (std::size_t v = 0; v < 2; ++v)
      sums_.means[v] += rows_[v].leftCols(filled_).rowwise().sum().template cast<double>();
    sums.rows += filled_;
    filled_ = 0;
  }

  bool narrow_;  // products in precision S
  Covariances<S> few_;
  FoldCovariances sums_;
  std::vector<Matrix<S>> rows_;  // of each view, as columns
  Index filled_ = 0;
};

// Up to so many columns the threads of BLAS gain little within one product.
constexpr Index kNarrow = 1024;

}  // namespace

template <class S, class Sum>
Covariances<Sum> covariances(DataStream<S>& stream, Products products) {
  std::vector<Index> features;
  for (std::size_t j = 0; j < stream.views(); ++j)
    features.push_back(static_cast<Index>(stream.transform(j).kept().size()));
  int workers = 1;
  std::optional<SerialBlas> serial;
  if (features.size() == 2 && std::max(features[0], features[1]) <= kNarrow) {
    workers = std::min(threads(), 4);
    serial.emplace();
  }
  const bool narrow = !std::is_same_v<S, Sum> && products == Products::single;
  Covariances<Sum> sums = zeros<Sum>(features);
  Covariances<S> few = narrow ? zeros<S>(features) : Covariances<S>();
  std::vector<ConvertedRows<S, Sum>> rows(stream.views());
  std::vector<ConvertedRows<S, S>> own(stream.views());
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    sums.rows += stream.view(0).rows();
    if (narrow) {
      add_batch<S, S>(stream, own, few, workers);
      move_sums(few.within, sums.within);
      move_sums(few.between, sums.between);
    } else {
      add_batch<S, Sum>(stream, rows, sums, workers);
    }
  }
  reduce(stream.communicator(), sums.within, sums.between, sums.rows);
  const Sum scale = Sum(1) / static_cast<Sum>(std::max<Index>(sums.rows, 1));
  for (auto& within : sums.within) {
    within *= scale;
    within.template triangularView<Eigen::StrictlyUpper>() = within.transpose();
  }
  for (auto& between : sums.between) between *= scale;
  return sums;
}

template <class S>
std::vector<FoldCovariances> fold_covariances(DataStream<S>& stream, int folds, std::uint64_t seed,
                                              Products products) {
  const std::vector<Index> features{static_cast<Index>(stream.transform(0).kept().size()),
                                    static_cast<Index>(stream.transform(1).kept().size())};
  const bool few = std::max(features[0], features[1]) <= kNarrow;
  const int workers = few ? std::min(threads(), 4) : 1;
  std::optional<SerialBlas> serial;
  if (few) serial.emplace();
  std::vector<FoldRows<S>> sums;
  for (int fold = 0; fold < folds; ++fold) sums.emplace_back(features, products);
  std::vector<DenseRows<S>> dense(2);
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    const std::vector<Eigen::Ref<const Matrix<S>>> rows{dense[0](stream.view(0)), dense[1](stream.view(1))};
    const auto numbers = stream.view(0).batch.numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      sums[static_cast<std::size_t>(fold_of(numbers[i], folds, seed))].add(rows, static_cast<Index>(i),
                                                                           workers);
  }
  std::vector<FoldCovariances> all;
  for (auto& fold : sums) all.push_back(fold.finish(stream.communicator(), workers));
  return all;
}

FoldCovariances without_fold(const std::vector<FoldCovariances>& folds, int fold) {
  const FoldCovariances& first = folds.front();
  FoldCovariances rest{
      zeros<double>({first.means[0].size(), first.means[1].size()}),
      {Vector<double>::Zero(first.means[0].size()), Vector<double>::Zero(first.means[1].size())}};
  Covariances<double>& sums = rest.covariances;
  for (std::size_t k = 0; k < folds.size(); ++k)
    if (static_cast<int>(k) != fold) sums.rows += folds[k].covariances.rows;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (static_cast<int>(k) == fold) continue;
    const double share =
        static_cast<double>(folds[k].covariances.rows) / static_cast<double>(std::max<Index>(sums.rows, 1));
    for (std::size_t v = 0; v < 2; ++v) {
      sums.within[v] += share * folds[k].covariances.within[v];
      rest.means[v] += share * folds[k].means[v];
    }
    sums.between[0] += share * folds[k].covariances.between[0];
  }
  return rest;
}

template std::vector<FoldCovariances> fold_covariances<float>(DataStream<float>&, int, std::uint64_t,
                                                              Products);
template std::vector<FoldCovariances> fold_covariances<double>(DataStream<double>&, int, std::uint64_t,
                                                               Products);
template Covariances<float> covariances<float, float>(DataStream<float>&, Products);
template Covariances<double> covariances<float, double>(DataStream<float>&, Products);
template Covariances<double> covariances<double, double>(DataStream<double>&, Products);

}  // namespace landfall
