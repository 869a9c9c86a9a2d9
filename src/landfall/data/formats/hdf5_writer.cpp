#include <landfall/data/formats/hdf5.ipp>
#include <landfall/data/formats/hdf5_writer.hpp>
#include <landfall/data/io/file.hpp>
#include <landfall/data/rows/rows.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace landfall {

using hdf5::Calls;
using hdf5::Handle;

namespace {

template <class S>
constexpr Index chunk_numbers = (Index{1} << 20) / static_cast<Index>(sizeof(S));

}  // namespace

template <class S>
struct Hdf5Writer<S>::File {
  File(const std::filesystem::path& path, const std::filesystem::path& file, std::string dataset_path,
       Index width)
      : name(path.string()), cols(width), out(file) {
    const Calls calls;
    file_id = Handle(H5Fcreate(out.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    if (!file_id) fail();

    const std::array<hsize_t, 2> none = {0, static_cast<hsize_t>(cols)};
    const std::array<hsize_t, 2> most = {H5S_UNLIMITED, static_cast<hsize_t>(cols)};
    const std::array<hsize_t, 2> piece = {static_cast<hsize_t>(std::max<Index>(1, chunk_numbers<S> / cols)),
                                          static_cast<hsize_t>(std::min(cols, chunk_numbers<S>))};
    const Handle space(H5Screate_simple(2, none.data(), most.data()));
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE)), links(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_chunk(creation.id(), 2, piece.data());
    H5Pset_obj_track_times(creation.id(), false);  // the same rows, the same bytes
    H5Pset_create_intermediate_group(links.id(), 1);
    const hid_t stored = std::is_same_v<S, float> ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    dataset = Handle(H5Dcreate2(file_id.id(), dataset_path.c_str(), stored, space.id(), links.id(),
                                creation.id(), H5P_DEFAULT));
    if (!dataset) fail();
  }

  [[noreturn]] void fail() const {
    throw DataError(fmt::format("{}: cannot be written: {}", name, hdf5::reason()));
  }

  /// Rows one after the other in memory.
  void append(const S* numbers, Index count) {
    const Calls calls;
    const std::array<hsize_t, 2> start = {static_cast<hsize_t>(rows), 0};
    const std::array<hsize_t, 2> size = {static_cast<hsize_t>(count), static_cast<hsize_t>(cols)};
    const std::array<hsize_t, 2> all = {start[0] + size[0], size[1]};
    const hid_t type = hdf5::native_type(std::is_same_v<S, float> ? hdf5::Type::f4 : hdf5::Type::f8);
    if (H5Dset_extent(dataset.id(), all.data()) < 0) fail();
    const Handle space(H5Dget_space(dataset.id())), memory(H5Screate_simple(2, size.data(), nullptr));
    if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
        H5Dwrite(dataset.id(), type, memory.id(), space.id(), H5P_DEFAULT, numbers) < 0)
      fail();
    rows += count;
  }

  std::string name;
  Index cols, rows = 0;
  AtomicFile out;
  Handle file_id, dataset;
  std::vector<S> block;  // sparse rows with their zeros
};

template <class S>
Hdf5Writer<S>::Hdf5Writer(const std::filesystem::path& path, Index cols) {
  if (cols < 1)
    throw UsageError(fmt::format("{}: {} columns to write, expected at least 1", path.string(), cols));
  const Hdf5Path split = Hdf5Path::split(path);
  file_ = std::make_unique<File>(path, split.file, split.dataset.empty() ? "/data" : split.dataset, cols);
}

template <class S>
Hdf5Writer<S>::~Hdf5Writer() = default;

template <class S>
void Hdf5Writer<S>::write(const Batch<S>& rows) {
  check_columns(file_->name, rows.cols(), file_->cols);
  if (rows.rows() == 0) return;
  if (!rows.sparse()) return file_->append(rows.values().data(), rows.rows());
  std::vector<S>& block = file_->block;
  const Index step = std::max<Index>(1, chunk_numbers<S> / rows.cols());
  for (Index first = 0; first < rows.rows(); first += step) {
    const Index count = std::min(step, rows.rows() - first);
    block.resize(static_cast<std::size_t>(count * rows.cols()));
    for (Index i = 0; i < count; ++i)
      dense_row<S>(rows, first + i,
                   std::span(block).subspan(static_cast<std::size_t>(i * rows.cols()),
                                            static_cast<std::size_t>(rows.cols())));
    file_->append(block.data(), count);
  }
}

template <class S>
void Hdf5Writer<S>::finish() {
  const Calls calls;
  if (!file_->dataset.close() || !file_->file_id.close()) file_->fail();
  file_->out.commit();
}

template class Hdf5Writer<float>;
template class Hdf5Writer<double>;

}  // namespace landfall
