#include <landfall/data/formats/npy.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/data/synthetic/planted_cca.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/decompositions.hpp>
#include <landfall/linalg/operator.hpp>
#include <landfall/linalg/products.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <cmath>

#include "reproduce/stream_runs.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr Index quick_rows = 6144;

void centre(Matrix<float>& data, Vector<float>& mean) {
  mean = data.cast<double>().rowwise().mean().cast<float>();
  data.colwise() -= mean;
}

Matrix<float> second_moment(const Matrix<float>& left, const Matrix<float>& right, float ridge) {
  Matrix<float> out(left.rows(), right.rows());
  multiply_bt<float>(left, right, out, 1 / static_cast<float>(left.cols()));
  if (ridge > 0) out.diagonal().array() += ridge;
  return out;
}

Matrix<double> inverse_root(const Matrix<float>& b) {
  SymmetricEigen<double> eigen;
  eigen.compute(b.cast<double>());
  return eigen.inverse_root();
}

void read_mnist(const ReproduceSettings& settings, StreamProblem& problem) {
  for (const char* file : {"left.npy", "right.npy"}) {
    Matrix<float> rows = read_npy<float>(settings.data / file);
    if (settings.quick) rows = rows.topRows(std::min<Index>(rows.rows(), quick_rows)).eval();
    problem.data.emplace_back(rows.transpose());
  }
  if (problem.data[0].cols() != problem.data[1].cols())
    throw DataError(fmt::format("{}: left.npy has {} rows, right.npy {}", settings.data.string(),
                                problem.data[0].cols(), problem.data[1].cols()));
  problem.source =
      fmt::format("split MNIST{}, {} rows", settings.quick ? ", the first rows" : "", problem.rows());
}

/// With the largest variance of split MNIST, pixels in [0, 1].
void plant(Index n, Index rows, std::uint64_t seed, StreamProblem& problem) {
  PlantedCca<float> planted({.samples = rows, .left = n, .right = n, .seed = seed});
  Batch<float> left, right;
  planted.read(0, rows, left, right);
  for (const Batch<float>* view : {&left, &right}) {
    problem.data.emplace_back(view->dense());
    const DenseOperator<float> covariance(second_moment(problem.data.back(), problem.data.back(), 0));
    problem.data.back() *= std::sqrt(2.9F / largest_eigenvalue(covariance));
  }
  problem.source = fmt::format("planted data of the shape of split MNIST, not MNIST, {} rows", rows);
}

/// Centres the data; B and S_xy.
void finish(StreamProblem& problem, float scale) {
  problem.ridge = 1e-3F;
  problem.mean.resize(2);
  for (std::size_t k = 0; k < 2; ++k) {
    problem.data[k] *= scale;
    centre(problem.data[k], problem.mean[k]);
    problem.mean[k].array() -= scale / 2;  // [0, 1] times 2 is [-1, 1] of the authors, moved by 1
    problem.b.push_back(second_moment(problem.data[k], problem.data[k], problem.ridge));
  }
  problem.cross = second_moment(problem.data[0], problem.data[1], 0);
}

}  // namespace

StreamProblem planted_problem(Index n, Index rows, Index components, std::uint64_t seed) {
  StreamProblem problem{.components = components};
  plant(n, rows, seed, problem);
  finish(problem, 1);
  return problem;
}

StreamProblem cca_problem(const ReproduceSettings& settings, Index components, float scale) {
  StreamProblem problem{.components = components};
  if (settings.data.empty())
    plant(392, quick_rows, settings.seed, problem);
  else
    read_mnist(settings, problem);
  finish(problem, scale);
  const Matrix<double> whitened =
      inverse_root(problem.b[0]) * problem.cross.cast<double>() * inverse_root(problem.b[1]);
  problem.optimum = -singular_values<double>(whitened).head(components).sum();
  return problem;
}

StreamProblem ica_problem(const ReproduceSettings& settings) {
  const Index rows = settings.quick ? 20'000 : 100'000;
  LaplaceIca<float> mixture({.samples = rows, .seed = settings.seed});
  Batch<float> batch;
  mixture.read(0, rows, batch);
  StreamProblem problem{.source = fmt::format("synthetic mixtures of Laplace sources, {} rows", rows),
                        .data = {batch.dense()},
                        .components = 10,
                        .mixing = mixture.mixing()};
  problem.mean.resize(1);
  problem.mean[0].setZero(10);
  problem.b.push_back(second_moment(problem.data[0], problem.data[0], 0));
  return problem;
}

}  // namespace landfall::app
