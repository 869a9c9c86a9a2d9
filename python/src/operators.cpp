#include "operators.hpp"

#include <landfall/errors.hpp>

#include "convert.hpp"
#include <fmt/format.h>

namespace landfall::python {
namespace {

template <class T>
using Flat = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class S>
OperatorPtr<S> sparse_operator(const py::tuple& parts) {
  const auto values = parts[1].cast<Flat<S>>();
  const auto rows = parts[2].cast<Flat<int>>(), starts = parts[3].cast<Flat<int>>();
  const auto n = parts[4].cast<Index>();
  if (starts.size() != n + 1 || rows.size() != values.size())
    throw UsageError("parts of the sparse matrix have sizes that do not match");
  const Eigen::Map<const Eigen::SparseMatrix<S>> map(n, n, values.size(), starts.data(), rows.data(),
                                                     values.data());
  return std::make_shared<SparseOperator<S>>(Eigen::SparseMatrix<S>(map));
}

template <class S>
OperatorPtr<S> product_operator(const py::tuple& parts, Caller& caller) {
  const auto n = parts[1].cast<Index>();
  return std::make_shared<CallbackOperator<S>>(
      n, [&caller, product = py::handle(parts[2])](In<S> x, Out<S> y) {
        caller.call([&] {
          const Matrix<S> result = matrix_of<S>(product(array_of<S>(Matrix<S>(x))));
          if (result.rows() != y.rows() || result.cols() != y.cols())
            throw UsageError(fmt::format("a product of size {}x{}, expected {}x{}", result.rows(),
                                         result.cols(), y.rows(), y.cols()));
          y = result;
        });
      });
}

}  // namespace

template <class S>
OperatorPtr<S> operator_of(const py::tuple& parts, Caller& caller) {
  const auto kind = parts[0].cast<std::string>();
  if (kind == "sparse") return sparse_operator<S>(parts);
  if (kind == "product") return product_operator<S>(parts, caller);
  if (kind == "gram")
    return std::make_shared<GramOperator<S>>(RowMatrix<S>(matrix_of<S>(parts[1])), parts[2].cast<S>());
  return std::make_shared<DenseOperator<S>>(matrix_of<S>(parts[1]));
}

template OperatorPtr<float> operator_of<float>(const py::tuple&, Caller&);
template OperatorPtr<double> operator_of<double>(const py::tuple&, Caller&);

}  // namespace landfall::python
