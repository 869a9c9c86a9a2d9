#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/linalg/symmetric.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace landfall {
namespace {

enum class FileType { npy, matrix_market };

FileType file_type(const InputFile& file) {
  if (file.size() == 0) throw DataError(fmt::format("{}: the file is empty", file.name()));
  constexpr std::string_view npy = "\x93NUMPY", market = "%%MatrixMarket";
  std::array<char, market.size()> start{};
  const std::size_t count = std::min<std::size_t>(start.size(), file.size());
  file.read(0, std::as_writable_bytes(std::span(start).first(count)));
  const std::string_view text(start.data(), count);
  if (text.starts_with(npy)) return FileType::npy;
  if (text.starts_with(market)) return FileType::matrix_market;
  throw DataError(fmt::format("{}: unknown file type; expected .npy or Matrix Market (.mtx)", file.name()));
}

/// Calls use(row, column, value) for each stored entry.
template <class S, class F>
void each_entry(const Matrix<S>& m, F use) {
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) use(i, j, m(i, j));
}

template <class S, class F>
void each_entry(const Eigen::SparseMatrix<S>& m, F use) {
  for (Index j = 0; j < m.outerSize(); ++j)
    for (typename Eigen::SparseMatrix<S>::InnerIterator entry(m, j); entry; ++entry)
      use(entry.row(), entry.col(), entry.value());
}

template <class M>
void check_finite(const M& m, const InputFile& file) {
  using S = typename M::Scalar;
  each_entry(m, [&](Index i, Index j, S value) {
    if (std::isfinite(value)) return;
    // A number that only double precision can hold becomes infinite too.
    const bool single = std::is_same_v<S, float> && !std::isnan(value);
    throw DataError(fmt::format("{}: row {}, column {} is {}{}; every entry must be finite", file.name(),
                                i + 1, j + 1,
                                std::isnan(value) ? "NaN"
                                : value > 0       ? "Inf"
                                                  : "-Inf",
                                single ? " in single precision" : ""));
  });
}

template <class S>
MatrixFile<S> load(const InputFile& file) {
  auto matrix =
      file_type(file) == FileType::npy ? MatrixFile<S>(read_npy<S>(file)) : read_matrix_market<S>(file);
  std::visit([&](const auto& m) { check_finite(m, file); }, matrix);
  return matrix;
}

/// The rounding of the numbers in the file, which may be coarser than that of S.
template <class S>
double file_rounding(const InputFile& file) {
  const bool single = std::is_same_v<S, float> ||
                      (file_type(file) == FileType::npy && read_npy_header(file).type == NpyType::f4);
  return single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                : std::numeric_limits<double>::epsilon();
}

template <class S>
void average(Matrix<S>& m) {
  symmetrize<S>(m);
}
template <class S>
void average(Eigen::SparseMatrix<S>& m) {
  m = Eigen::SparseMatrix<S>(S(0.5) * (m + Eigen::SparseMatrix<S>(m.transpose())));
}

template <class M>
void make_symmetric(M& m, const InputFile& file, double eps) {
  using S = typename M::Scalar;
  if (m.rows() != m.cols())
    throw DataError(fmt::format("{}: {}x{}, expected a square matrix", file.name(), m.rows(), m.cols()));
  S largest = 0, worst = 0;
  Index row = 0, col = 0;
  each_entry(m, [&](Index i, Index j, S value) {
    largest = std::max(largest, std::abs(value));
    const S difference = std::abs(value - m.coeff(j, i));
    if (!(difference > worst)) return;
    worst = difference;
    row = i;
    col = j;
  });
  if (static_cast<double>(worst) > 100 * eps * static_cast<double>(largest))
    throw DataError(
        fmt::format("{}: row {}, column {} is {} but row {}, column {} is {}; expected a symmetric matrix",
                    file.name(), row + 1, col + 1, m.coeff(row, col), col + 1, row + 1, m.coeff(col, row)));
  if (worst > 0) average(m);
}

}  // namespace

template <class S>
MatrixFile<S> load_matrix(const std::filesystem::path& path) {
  return load<S>(InputFile(path));
}

template <class S>
MatrixFile<S> load_symmetric(const std::filesystem::path& path) {
  const InputFile file(path);
  MatrixFile<S> matrix = load<S>(file);
  const double eps = file_rounding<S>(file);
  std::visit([&](auto& m) { make_symmetric(m, file, eps); }, matrix);
  return matrix;
}

LANDFALL_MATRIX_FILE(, float)
LANDFALL_MATRIX_FILE(, double)

}  // namespace landfall
