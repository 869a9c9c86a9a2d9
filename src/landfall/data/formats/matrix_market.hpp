// Matrix Market files (.mtx): dense ("array") or sparse ("coordinate") real matrices as text. Whole here; by
// batches they are written through writer.hpp.
//
//   landfall::write_matrix_market<double>("B.mtx", mass);       // scipy.io.mmread("B.mtx")
//   auto b = landfall::read_matrix_market<double>("B.mtx");     // dense or sparse, as the file is
//   if (auto* sparse = std::get_if<Eigen::SparseMatrix<double>>(&b)) use(*sparse);
#pragma once

#include <landfall/data/formats/text_stream.hpp>
#include <landfall/data/rows/batch.hpp>
#include <landfall/linalg/types.hpp>

#include <filesystem>
#include <memory>
#include <variant>

#include <Eigen/SparseCore>

namespace landfall {

/// A matrix as its file holds it.
template <class S>
using MatrixFile = std::variant<Matrix<S>, Eigen::SparseMatrix<S>>;

/// The same with rows contiguous.
template <class S>
using MatrixRows = std::variant<RowMatrix<S>, Eigen::SparseMatrix<S, Eigen::RowMajor>>;

enum class MarketLayout { array, coordinate };
enum class MarketField { real, integer, pattern };
enum class MarketSymmetry { general, symmetric, skew_symmetric };

/// The first line and the line of sizes.
struct MarketHeader {
  MarketLayout layout = MarketLayout::array;
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;  // that the file lists: for a symmetric matrix, one triangle
};

/// Reads up to the line of sizes; DataError when the rest of the file cannot hold what they promise.
MarketHeader read_matrix_market_header(LineReader& lines);

/// A symmetric or skew-symmetric file gives both triangles. Entries listed twice are
/// added; those of a pattern are 1.
template <class S>
MatrixFile<S> read_matrix_market(const InputFile& file);
template <class S>
MatrixFile<S> read_matrix_market(const std::filesystem::path& path);

/// Without a second copy in the other order.
template <class S>
MatrixRows<S> read_matrix_market_rows(LineReader& lines);

/// With as many digits as reading back exactly needs; one triangle of a matrix
/// that equals its transpose exactly.
template <class S>
void write_matrix_market(const std::filesystem::path& path, In<S> matrix);
template <class S>
void write_matrix_market(const std::filesystem::path& path, const Eigen::SparseMatrix<S>& matrix);

/// Appends batches to a sparse ("coordinate") file that appears on commit(), which fills in the counts. An
/// array would list the columns one after the other, which rows that come one after the other cannot; so
/// dense rows are written as sparse ones, without their zeros.
template <class S>
class MatrixMarketWriter {
 public:
  MatrixMarketWriter(const std::filesystem::path& path, Index cols);
  ~MatrixMarketWriter();
  MatrixMarketWriter(const MatrixMarketWriter&) = delete;
  MatrixMarketWriter& operator=(const MatrixMarketWriter&) = delete;

  void write(const Batch<S>& batch);
  void commit();

 private:
  struct File;
  std::unique_ptr<File> file_;
  Index cols_ = 0;
  Index rows_ = 0;
  Index entries_ = 0;
};

#define LANDFALL_MATRIX_MARKET(EXTERN, S)                                                                   \
  EXTERN template MatrixFile<S> read_matrix_market<S>(const InputFile&);                                    \
  EXTERN template MatrixFile<S> read_matrix_market<S>(const std::filesystem::path&);                        \
  EXTERN template MatrixRows<S> read_matrix_market_rows<S>(LineReader&);                                    \
  EXTERN template void write_matrix_market<S>(const std::filesystem::path&, In<S>);                         \
  EXTERN template void write_matrix_market<S>(const std::filesystem::path&, const Eigen::SparseMatrix<S>&); \
  EXTERN template class MatrixMarketWriter<S>;
LANDFALL_MATRIX_MARKET(extern, float)
LANDFALL_MATRIX_MARKET(extern, double)

}  // namespace landfall
