#include <landfall/errors.hpp>
#include <landfall/models/ica/amari.hpp>

#include <fmt/format.h>

namespace landfall {

double amari_distance(const Matrix<double>& unmixing, const Matrix<double>& mixing) {
  if (unmixing.cols() != mixing.rows() || unmixing.rows() != mixing.cols() || unmixing.size() == 0)
    throw UsageError(fmt::format("the Amari distance of {}x{} and {}x{}, expected p x n and n x p",
                                 unmixing.rows(), unmixing.cols(), mixing.rows(), mixing.cols()));
  const Matrix<double> squares = (unmixing * mixing).cwiseAbs2();
  const Vector<double> rows = squares.rowwise().maxCoeff(), cols = squares.colwise().maxCoeff();
  if (!(rows.minCoeff() > 0 && cols.minCoeff() > 0))
    throw UsageError("the Amari distance is undefined: the product has a zero row or column");
  const double sum = (squares.rowwise().sum().array() / rows.array() - 1).sum() +
                     (squares.colwise().sum().transpose().array() / cols.array() - 1).sum();
  return sum / (2 * static_cast<double>(squares.rows()));
}

}  // namespace landfall
