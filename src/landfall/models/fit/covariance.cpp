#include <landfall/data/rows/dense_rows.hpp>
#include <landfall/linalg/add_square.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/reduce.hpp>
#include <landfall/models/fit/covariance.hpp>
#include <landfall/parallel/thread_pool.hpp>
#include <landfall/parallel/threads.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>

namespace landfall {
namespace {

/// What two views add: four products of the same size, which threads take one by one.
template <class S>
void add_pair(In<S> left, In<S> right, Covariances<S>& sums) {
  const Index half = left.rows() / 2, rest = left.rows() - half;
  parallel_for(4, [&](Index part) {
    if (part < 2) add_square<S>(part == 0 ? left : right, sums.within[static_cast<std::size_t>(part)]);
    if (part == 2) multiply_bt<S>(left.topRows(half), right, sums.between[0].topRows(half), 1, 1);
    if (part == 3) multiply_bt<S>(left.bottomRows(rest), right, sums.between[0].bottomRows(rest), 1, 1);
  });
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
               bool in_pairs) {
  if (in_pairs) return add_pair<T>(rows[0](stream.view(0)), rows[1](stream.view(1)), sums);
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

/// Means in place of sums, and both triangles. The rows on all ranks have this weight; none: 1 each, as training rows have in the
/// mean.
template <class T>
void finish_sums(Communicator& communicator, Covariances<T>& sums, std::optional<double> weight = {}) {
  reduce(communicator, sums.within, sums.between, sums.rows);
  const double divisor = weight.value_or(static_cast<double>(sums.rows));
  const T scale = T(1) / static_cast<T>(divisor > 0 ? divisor : 1);
  for (auto& within : sums.within) {
    within *= scale;
    within.template triangularView<Eigen::StrictlyUpper>() = within.transpose();
  }
  for (auto& between : sums.between) between *= scale;
}

// Up to so many columns the threads of BLAS gain little within one product.
constexpr Index kNarrow = 1024;

/// Rows of one fold, kept until there are enough of them for a product.
template <class S>
class FoldRows {
 public:
  FoldRows(const std::vector<Index>& features, Products products, bool in_pairs)
      : in_pairs_(in_pairs), narrow_(products == Products::single), few_(zeros<S>(features)) {
    sums_.covariances = zeros<double>(features);
    for (const Index n : features) {
      rows_.emplace_back(n, kFoldRows);
      sums_.means.push_back(Vector<double>::Zero(n));
    }
  }

  /// `root`: of the weight of the row.
  void add(const std::vector<Eigen::Ref<const Matrix<S>>>& views, Index row, S root) {
    for (std::size_t v = 0; v < rows_.size(); ++v) rows_[v].col(filled_) = views[v].col(row);
    roots_(filled_) = root;
    if (++filled_ == kFoldRows) multiply_rows();
  }

  FoldCovariances finish(Communicator& communicator) {
    multiply_rows();
    Covariances<double>& sums = sums_.covariances;
    reduce(communicator, sums_.means, sums_.weight);
    finish_sums(communicator, sums, sums_.weight);
    for (auto& mean : sums_.means) mean /= sums_.weight > 0 ? sums_.weight : 1;
    return std::move(sums_);
  }

 private:
  void multiply_rows() {
    if (filled_ == 0) return;
    Covariances<double>& sums = sums_.covariances;
    const auto left = rows_[0].leftCols(filled_), right = rows_[1].leftCols(filled_);
    if (narrow_) {
      add<S>(left, right, few_);
      move_sums(few_.within, sums.within);
      move_sums(few_.between, sums.between);
    } else {
      add<double>(left.template cast<double>(), right.template cast<double>(), sums);
    }
    const auto roots = roots_.head(filled_);
    const bool weighted = (roots.array() != S(1)).any();
    for (std::size_t v = 0; v < 2; ++v)
      if (weighted)
        sums_.means[v] += (rows_[v].leftCols(filled_) * roots).template cast<double>();
      else
        sums_.means[v] += rows_[v].leftCols(filled_).rowwise().sum().template cast<double>();
    sums_.weight += roots.template cast<double>().squaredNorm();
    sums.rows += filled_;
    filled_ = 0;
  }

  template <class T>
  void add(In<T> left, In<T> right, Covariances<T>& sums) const {
    if (in_pairs_) return add_pair<T>(left, right, sums);
    add_square<T>(left, sums.within[0]);
    add_square<T>(right, sums.within[1]);
    multiply_bt<T>(left, right, sums.between[0], 1, 1);
  }

  bool in_pairs_;  // threads take products one by one
  bool narrow_;    // products in precision S
  Covariances<S> few_;
  FoldCovariances sums_;
  std::vector<Matrix<S>> rows_;  // of each view, as columns
  Vector<S> roots_ = Vector<S>::Ones(kFoldRows);
  Index filled_ = 0;
};

/// Puts each row into its fold.
template <class S>
class FoldSums {
 public:
  FoldSums(const std::vector<Index>& features, int folds, std::uint64_t seed, Products products)
      : seed_(seed) {
    const bool in_pairs = std::max(features[0], features[1]) <= kNarrow;
    if (in_pairs) serial_.emplace();
    for (int fold = 0; fold < folds; ++fold) folds_.emplace_back(features, products, in_pairs);
  }

  /// `batch`: what the rows were made of.
  template <class T>
  void add(const std::vector<Eigen::Ref<const Matrix<S>>>& rows, const Batch<T>& batch) {
    for (std::size_t i = 0; i < batch.numbers().size(); ++i) {
      const int fold = fold_of(batch.numbers()[i], static_cast<int>(folds_.size()), seed_);
      const S root = batch.roots().empty() ? S(1) : static_cast<S>(batch.roots()[i]);
      folds_[static_cast<std::size_t>(fold)].add(rows, static_cast<Index>(i), root);
    }
  }

  std::vector<FoldCovariances> finish(Communicator& communicator) {
    std::vector<FoldCovariances> all;
    for (auto& fold : folds_) all.push_back(fold.finish(communicator));
    return all;
  }

 private:
  std::uint64_t seed_;
  std::optional<SerialBlas> serial_;
  std::vector<FoldRows<S>> folds_;
};

}  // namespace

template <class S, class Sum>
Covariances<Sum> covariances(DataStream<S>& stream, Products products) {
  std::vector<Index> features;
  for (std::size_t j = 0; j < stream.views(); ++j)
    features.push_back(static_cast<Index>(stream.transform(j).kept().size()));
  const bool in_pairs = features.size() == 2 && std::max(features[0], features[1]) <= kNarrow;
  std::optional<SerialBlas> serial;
  if (in_pairs) serial.emplace();
  const bool narrow = !std::is_same_v<S, Sum> && products == Products::single;
  Covariances<Sum> sums = zeros<Sum>(features);
  Covariances<S> few = narrow ? zeros<S>(features) : Covariances<S>();
  std::vector<ConvertedRows<S, Sum>> rows(stream.views());
  std::vector<ConvertedRows<S, S>> own(stream.views());
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    sums.rows += stream.view(0).rows();
    if (narrow) {
      add_batch<S, S>(stream, own, few, in_pairs);
      move_sums(few.within, sums.within);
      move_sums(few.between, sums.between);
    } else {
      add_batch<S, Sum>(stream, rows, sums, in_pairs);
    }
  }
  finish_sums(stream.communicator(), sums);
  return sums;
}

template <class S>
Covariances<double> score_covariances(DataStream<S>& stream, const Point<double>& x) {
  const std::size_t views = stream.views();
  std::vector<Index> features;
  for (const auto& block : x) features.push_back(block.cols());
  Covariances<double> sums = zeros<double>(features);
  std::vector<ConvertedRows<S, double>> rows(views);
  Point<double> scores(views);
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    sums.rows += stream.view(0).rows();
    std::size_t pair = 0;
    for (std::size_t j = 0; j < views; ++j) {
      scores[j].resize(x[j].cols(), stream.view(j).rows());
      multiply_at<double>(x[j], rows[j](stream.view(j)), scores[j]);
      add_square<double>(scores[j], sums.within[j]);
      for (std::size_t i = 0; i < j; ++i)
        multiply_bt<double>(scores[i], scores[j], sums.between[pair++], 1, 1);
    }
  }
  finish_sums(stream.communicator(), sums);
  return sums;
}

template Covariances<double> score_covariances<float>(DataStream<float>&, const Point<double>&);
template Covariances<double> score_covariances<double>(DataStream<double>&, const Point<double>&);

template <class S>
std::vector<FoldCovariances> fold_covariances(DataStream<S>& stream, int folds, std::uint64_t seed,
                                              Products products) {
  FoldSums<S> sums({static_cast<Index>(stream.transform(0).kept().size()),
                    static_cast<Index>(stream.transform(1).kept().size())},
                   folds, seed, products);
  std::vector<DenseRows<S>> dense(2);
  stream.begin_pass(in_file_order);
  while (stream.next()) sums.add({dense[0](stream.view(0)), dense[1](stream.view(1))}, stream.view(0).batch);
  return sums.finish(stream.communicator());
}

template <class S>
std::vector<FoldCovariances> fold_score_covariances(DataStream<S>& stream, int folds, std::uint64_t seed,
                                                    const Point<double>& x) {
  FoldSums<double> sums({x[0].cols(), x[1].cols()}, folds, seed, Products::exact);
  std::vector<ConvertedRows<S, double>> rows(2);
  Point<double> scores(2);
  stream.begin_pass(in_file_order);
  while (stream.next()) {
    for (std::size_t v = 0; v < 2; ++v) {
      scores[v].resize(x[v].cols(), stream.view(v).rows());
      multiply_at<double>(x[v], rows[v](stream.view(v)), scores[v]);
    }
    sums.add({scores[0], scores[1]}, stream.view(0).batch);
  }
  return sums.finish(stream.communicator());
}

FoldCovariances without_fold(const std::vector<FoldCovariances>& folds, int fold) {
  const FoldCovariances& first = folds.front();
  FoldCovariances rest{
      zeros<double>({first.means[0].size(), first.means[1].size()}),
      {Vector<double>::Zero(first.means[0].size()), Vector<double>::Zero(first.means[1].size())}};
  Covariances<double>& sums = rest.covariances;
  for (std::size_t k = 0; k < folds.size(); ++k)
    if (static_cast<int>(k) != fold) {
      sums.rows += folds[k].covariances.rows;
      rest.weight += folds[k].weight;
    }
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (static_cast<int>(k) == fold) continue;
    const double share = rest.weight > 0 ? folds[k].weight / rest.weight : 0;
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
template std::vector<FoldCovariances> fold_score_covariances<float>(DataStream<float>&, int, std::uint64_t,
                                                                    const Point<double>&);
template std::vector<FoldCovariances> fold_score_covariances<double>(DataStream<double>&, int, std::uint64_t,
                                                                     const Point<double>&);
template Covariances<float> covariances<float, float>(DataStream<float>&, Products);
template Covariances<double> covariances<float, double>(DataStream<float>&, Products);
template Covariances<double> covariances<double, double>(DataStream<double>&, Products);

}  // namespace landfall
