// What the usage examples assume: variables that are declared and never defined, since the examples are
// compiled and not linked. Of the library only types.hpp is included, so that an example shows what it needs.
#pragma once

#include <landfall/linalg/types.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace landfall {
template <class S>
class Source;
template <class S>
class Batch;
template <class S>
class SymmetricOperator;
template <class S>
class Preconditioner;
template <class S>
class Constraint;
template <class S>
class FieldOracle;
template <class S>
class Samples;
template <class S>
class LinearSamples;
template <class S>
class DataStream;
template <class S>
class Transform;
template <class S>
class InMemorySamples;
}  // namespace landfall

namespace given {

template <class... T>
void use(const T&...) {}

extern landfall::Index n, p, count;
extern std::vector<landfall::Index> rows;
extern std::uint64_t seed, pass;
extern std::string file;

// n x p
extern landfall::Matrix<double> x, y, g, v, w, z, kg, lambda;
// p x p
extern landfall::Matrix<double> m, residual;
// n x n, symmetric
extern landfall::Matrix<double> q, stiffness, mass;
extern landfall::Vector<double> c, h;
// samples as rows
extern landfall::RowMatrix<double> data, left, right;

extern landfall::Point<double> point, start, gradient, bx, psi, normal;

extern double eta, omega, beta, beta_1, beta_n, c_psi, l_merit;

extern std::shared_ptr<const landfall::SymmetricOperator<double>> a, b;
extern std::shared_ptr<const landfall::Preconditioner<double>> k;
extern std::function<double(const landfall::Point<double>&, landfall::Point<double>*)> f;
extern std::shared_ptr<const landfall::Constraint<double>> constraint;
extern landfall::FieldOracle<double>& oracle;
extern std::shared_ptr<landfall::Samples<double>> samples;
extern landfall::LinearSamples<double>& linear;

// A file of samples, and some of its rows
extern landfall::Source<float>& source;
extern landfall::Batch<float>& batch;
extern landfall::Matrix<float> weights, scores;
extern landfall::Matrix<double> unmixing, mixing;
extern landfall::DataStream<float>& stream;
extern const landfall::Transform<float>& transform;
extern landfall::InMemorySamples<float>& first;

}  // namespace given
