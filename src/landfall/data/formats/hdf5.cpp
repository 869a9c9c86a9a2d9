#include <landfall/data/formats/hdf5.ipp>
#include <landfall/data/io/file.hpp>
#include <landfall/data/io/gzip.hpp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

namespace landfall::hdf5 {
namespace {

constexpr std::string_view hdf5_types[] = {"f4", "f8", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"};

std::optional<Type> number_type(const Handle& type) {
  const std::size_t size = H5Tget_size(type.id());
  char kind = 0;
  if (H5Tget_class(type.id()) == H5T_FLOAT) kind = 'f';
  if (H5Tget_class(type.id()) == H5T_INTEGER) kind = H5Tget_sign(type.id()) == H5T_SGN_NONE ? 'u' : 'i';
  for (std::size_t i = 0; i < std::size(hdf5_types); ++i)
    if (hdf5_types[i] == fmt::format("{}{}", kind, size)) return static_cast<Type>(i);
  return std::nullopt;
}

std::string describe(const Handle& type) {
  switch (H5Tget_class(type.id())) {
    case H5T_FLOAT:
      return fmt::format("floating-point numbers of {} bytes", H5Tget_size(type.id()));
    case H5T_INTEGER:
      return fmt::format("integers of {} bytes", H5Tget_size(type.id()));
    case H5T_STRING:
      return "strings";
    case H5T_COMPOUND:
      return "compound entries";
    case H5T_ENUM:
      return "enumerated values";
    case H5T_ARRAY:
    case H5T_VLEN:
      return "arrays";
    default:
      return "entries that are not numbers";
  }
}

/// Names of the datasets of a file or a group, `most` of them if there are more.
std::vector<std::string> datasets_in(const Handle& group, std::size_t most) {
  struct Found {
    std::vector<std::string> names;
    std::size_t most;
  } found{{}, most};
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    auto& out = *static_cast<Found*>(data);
    if (info->type == H5O_TYPE_DATASET) out.names.push_back(fmt::format("/{}", name));
    return out.names.size() < out.most ? 0 : 1;
  };
  H5Ovisit(group.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &found);
  return std::move(found.names);
}

bool is_matrix(const Handle& file, const std::string& name) {
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT));
  if (!dataset) return false;
  const Handle space(H5Dget_space(dataset.id())), type(H5Dget_type(dataset.id()));
  return space && type && H5Sget_simple_extent_ndims(space.id()) == 2 && number_type(type);
}

/// Whether there is something of this name, intact or not; each group on the way must be asked.
bool linked(const Handle& file, const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file.id(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == path.npos) return true;
  }
}

/// The dataset that is meant when none is named.
std::string only_matrix(const Handle& file, const std::string& file_name) {
  constexpr std::size_t most = 1000;  // nobody reads a longer list
  std::vector<std::string> names = datasets_in(file, most);
  if (names.empty()) throw DataError(fmt::format("{}: the HDF5 file has no datasets", file_name));
  if (names.size() == 1) return names[0];
  std::vector<std::string> matrices;
  std::copy_if(names.begin(), names.end(), std::back_inserter(matrices),
               [&](const std::string& name) { return is_matrix(file, name); });
  if (matrices.size() == 1) return matrices[0];
  const bool none = matrices.empty();
  throw DataError(fmt::format("{}: {}, expected {}:/dataset: it has {}", file_name,
                              none ? "no matrix of numbers" : fmt::format("{} matrices", matrices.size()),
                              file_name, fmt::join(none ? names : matrices, ", ")));
}

/// How long the data is once unpacked, or a number above `most`; nothing if it is damaged.
std::optional<std::uint64_t> inflated_size(std::span<std::byte> packed, std::uint64_t most) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());  // chunks have less than 4 GiB
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  std::array<Bytef, 16384> window;
  int status = Z_OK;
  while (status == Z_OK && stream.total_out <= most) {
    stream.next_out = window.data();
    stream.avail_out = static_cast<uInt>(window.size());
    status = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END && stream.total_out <= most) return std::nullopt;
  return stream.total_out;
}

}  // namespace

std::recursive_mutex& Calls::mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::string reason() {
  std::string text;
  const auto first = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    auto& out = *static_cast<std::string*>(data);
    if (out.empty() && error->desc != nullptr) out = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text.empty() ? "no reason given" : text;
}

std::string_view type_name(Type type) {
  return hdf5_types[static_cast<std::size_t>(type)];
}

hid_t native_type(Type type) {
  const hid_t types[] = {H5T_NATIVE_FLOAT,  H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT8, H5T_NATIVE_UINT16,
                         H5T_NATIVE_UINT32, H5T_NATIVE_UINT64, H5T_NATIVE_INT8,  H5T_NATIVE_INT16,
                         H5T_NATIVE_INT32,  H5T_NATIVE_INT64};
  return types[static_cast<std::size_t>(type)];
}

Dataset::Dataset(const Hdf5Path& path, const Hdf5Options& options) : name_(shown_name(path.file)) {
  const InputFile input(path.file);  // has the words for a missing file, a folder, ...
  if (is_gzip(input)) fail("a compressed HDF5 file; decompress it first");
  file_size_ = input.size();
  stamp_ = input.stamp();
  check_superblock(input);
  const Calls calls;
  open(path);
  const Handle type(H5Dget_type(dataset_.id())), creation(H5Dget_create_plist(dataset_.id()));
  space_ = Handle(H5Dget_space(dataset_.id()));
  if (!type || !creation || !space_) fail(fmt::format("damaged: {}", reason()));
  check_entries(type);
  check_shape();
  check_filters(creation);
  check_storage(creation);
  choose_cache(options);
}

void Dataset::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: {}", name_, what));
}

/// HDF5 allocates as much as a file says that its driver information takes, before it looks for it (format specification, II.A).
void Dataset::check_superblock(const InputFile& input) const {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<unsigned char, 80> block{};
  const auto number = [&](std::size_t at, std::size_t bytes) {  // little endian
    std::uint64_t value = 0;
    for (std::size_t k = bytes; k-- > 0;) value = value << 8 | block.at(at + k);
    return value;
  };
  const auto read = [&](std::uint64_t at, std::size_t bytes) {
    block.fill(0);  // what is behind the end of the file is 0 to HDF5
    if (at >= file_size_) return false;
    bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file_size_ - at));
    input.read(at, std::as_writable_bytes(std::span(block)).first(bytes));
    return true;
  };
  for (std::uint64_t start = 0; start < file_size_; start = std::max<std::uint64_t>(512, 2 * start)) {
    if (!read(start, 24)) return;
    if (!std::equal(signature.begin(), signature.end(), block.begin())) continue;
    const std::size_t size = block[13], at = block[8] == 0 ? 24 : 28;  // of an address; of the first of four
    if (block[8] > 1 || size > 8 || !read(start, at + 4 * size)) return;
    const std::uint64_t driver = number(at + 3 * size, size);  // from the superblock on
    const std::uint64_t none = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
    if (driver == none || driver > file_size_ || !read(start + driver, 8)) return;
    if (const std::uint64_t bytes = number(4, 4); bytes > file_size_)
      fail(fmt::format(
          "damaged HDF5 file: {} bytes of driver information, expected at most the {} of the file", bytes,
          file_size_));
    return;
  }
}

void Dataset::open(const Hdf5Path& path) {
  if (H5Fis_hdf5(path.file.c_str()) <= 0) fail("not an HDF5 file");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_sieve_buf_size(access.id(), 1);  // a row is read, not the 64 KiB around it
  file_ = Handle(H5Fopen(path.file.c_str(), H5F_ACC_RDONLY, access.id()));
  if (!file_) fail(fmt::format("damaged HDF5 file: {}", reason()));
  path_ = path.dataset.empty() ? only_matrix(file_, name_) : path.dataset;
  const std::string file_name = std::exchange(name_, fmt::format("{}:{}", name_, path_));

  constexpr std::size_t most = 20;
  const auto others = [&] {
    const auto names = datasets_in(file_, most);
    return names.empty()
               ? fmt::format("one of {}, which has none", file_name)
               : fmt::format("one of {}{}", fmt::join(names, ", "), names.size() < most ? "" : ", ...");
  };
  if (!linked(file_, path_)) fail(fmt::format("no such dataset, expected {}", others()));
  const Handle object(H5Oopen(file_.id(), path_.c_str(), H5P_DEFAULT));
  if (!object) fail(fmt::format("cannot be opened: {}", reason()));
  if (H5Iget_type(object.id()) != H5I_DATASET)
    fail(fmt::format("{}, expected a dataset, {}",
                     H5Iget_type(object.id()) == H5I_GROUP ? "a group" : "a named type", others()));
  dataset_ = Handle(H5Dopen2(file_.id(), path_.c_str(), H5P_DEFAULT));
  if (!dataset_) fail(fmt::format("cannot be opened: {}", reason()));
}

void Dataset::check_entries(const Handle& type) {
  const auto found = number_type(type);
  if (!found)
    fail(fmt::format("a dataset of {}, expected numbers of type {}", describe(type),
                     fmt::join(hdf5_types, ", ")));
  type_ = *found;
}

void Dataset::check_shape() {
  dimensions_ = H5Sget_simple_extent_ndims(space_.id());
  if (dimensions_ != 1 && dimensions_ != 2)
    fail(fmt::format("a dataset of {} dimensions, expected 1 or 2", std::max(dimensions_, 0)));
  std::array<hsize_t, 2> sizes = {0, 1};
  H5Sget_simple_extent_dims(space_.id(), sizes.data(), nullptr);
  if (sizes[0] == 0 || sizes[1] == 0)
    fail(fmt::format("{} x {}, expected at least one row and one column", sizes[0], sizes[1]));
  std::uint64_t bytes = 0;
  const auto size = with_type(type_, [](auto value) { return std::uint64_t{sizeof value}; });
  if (__builtin_mul_overflow(sizes[0], sizes[1], &bytes) || __builtin_mul_overflow(bytes, size, &bytes) ||
      bytes > std::uint64_t{1} << 62)
    fail(fmt::format("{} x {}, more than 2^62 bytes", sizes[0], sizes[1]));
  rows_ = static_cast<Index>(sizes[0]);
  cols_ = static_cast<Index>(sizes[1]);
}

void Dataset::check_filters(const Handle& creation) {
  constexpr H5Z_filter_t known[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  const int filters = H5Pget_nfilters(creation.id());
  packed_ = filters > 0;
  const H5Z_filter_t* next = std::begin(known);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, settings = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &values,
                                               nullptr, name.size() - 1, name.data(), &settings);
    next = std::find(next, std::end(known), filter);
    if (next == std::end(known) || H5Zfilter_avail(filter) <= 0)
      fail(fmt::format(
          "compressed with filter {} ({}), expected shuffle, deflate, fletcher32 or a combination of them "
          "this order",
          static_cast<int>(filter), name.data()));
    if (filter == H5Z_FILTER_DEFLATE) deflate_ = i;
    if (filter == H5Z_FILTER_FLETCHER32) checksum_ = i;
    ++next;
  }
}

std::uint64_t Dataset::chunk_bytes() const {
  const auto size = with_type(type_, [](auto value) { return std::uint64_t{sizeof value}; });
  return static_cast<std::uint64_t>(chunk_rows_) * static_cast<std::uint64_t>(chunk_cols_) * size;
}

std::uint64_t Dataset::chunks() const {
  const auto pieces = [](Index length, Index piece) {
    return static_cast<std::uint64_t>(length / piece + (length % piece > 0 ? 1 : 0));
  };
  return pieces(rows_, chunk_rows_) * pieces(cols_, chunk_cols_);
}

/// HDF5 gives out zeros for what was never stored, as many as a forged size says.
void Dataset::check_storage(const Handle& creation) {
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0)
    fail("data stored in other files, expected it in this file");
  const std::uint64_t stored = H5Dget_storage_size(dataset_.id());
  const auto expect = [&](std::uint64_t expected) {
    if (stored < expected)
      fail(fmt::format("truncated: {} x {} takes {} bytes, found {}", rows_, cols_, expected, stored));
  };
  if (layout != H5D_CHUNKED) {
    expect(static_cast<std::uint64_t>(rows_ * cols_) *
           with_type(type_, [](auto value) { return std::uint64_t{sizeof value}; }));
    if (layout == H5D_COMPACT) return;
    const haddr_t offset = H5Dget_offset(dataset_.id());
    if (offset == HADDR_UNDEF || offset > file_size_ || stored > file_size_ - offset)
      fail(fmt::format("truncated: {} bytes of data, found a file of {}", stored, file_size_));
    return;
  }

  chunked_ = true;
  std::array<hsize_t, 2> sizes = {0, 1};
  if (H5Pget_chunk(creation.id(), dimensions_, sizes.data()) != dimensions_ || sizes[0] == 0 || sizes[1] == 0)
    fail("damaged: chunks of size zero");
  chunk_rows_ = static_cast<Index>(sizes[0]);
  chunk_cols_ = static_cast<Index>(sizes[1]);
  hsize_t found = 0;
  if (H5Dget_num_chunks(dataset_.id(), space_.id(), &found) < 0) fail(fmt::format("damaged: {}", reason()));
  if (found < chunks())
    fail(fmt::format("truncated: {} x {} takes {} chunks, found {}", rows_, cols_, chunks(), found));
  if (stored > file_size_)
    fail(fmt::format("truncated: {} bytes of data, found a file of {}", stored, file_size_));
  if (!packed_) expect(chunks() * chunk_bytes());
}

void Dataset::choose_cache(const Hdf5Options& options) {
  tile_rows_ = rows_;
  tile_cols_ = cols_;
  if (!chunked_) return;
  std::uint64_t cache = 0;  // what is not packed is read from where it is, without the rest of its chunk
  if (packed_) {
    std::uint64_t all = 0;
    any_order_ = !__builtin_mul_overflow(chunks(), chunk_bytes(), &all) && all <= options.memory;
    const std::uint64_t across = chunks() / static_cast<std::uint64_t>((rows_ - 1) / chunk_rows_ + 1);
    const std::uint64_t most = std::max(options.memory / 4, 2 * chunk_bytes());
    const bool fits = across < most / chunk_bytes();  // with one more, of the rows that follow
    cache = any_order_ ? all : fits ? (across + 1) * chunk_bytes() : most;
    if (!any_order_ && !fits) {
      tile_rows_ = chunk_rows_;
      tile_cols_ = chunk_cols_;
    }
  }
  // More than ten places for each chunk, a prime number: two chunks at one place push each other out.
  std::size_t places = 521;
  for (const std::size_t prime : {4099U, 65537U, 1048583U})
    if (cache / chunk_bytes() * 10 > places) places = prime;
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
  // What was used last stays, 0. With 1, what was read whole goes first, but version 1.10.8 then forgets how
  // much it may keep.
  H5Pset_chunk_cache(access.id(), places, cache, 0);
  dataset_.close();  // two of one dataset would share the first one's cache
  dataset_ = Handle(H5Dopen2(file_.id(), path_.c_str(), access.id()));
  if (!dataset_) fail(fmt::format("cannot be opened: {}", reason()));
}

/// HDF5 1.10 believes that a chunk has its size once it is unpacked, and reads beyond a shorter one.
void Dataset::check_chunk(Index row, Index col) {
  const std::array<hsize_t, 2> place = {static_cast<hsize_t>(row), static_cast<hsize_t>(col)};
  const auto damaged = [&](const std::string& what) {
    fail(fmt::format("damaged chunk at row {}, column {}: {}", row + 1, col + 1, what));
  };
  hsize_t size = 0;
  std::uint32_t skipped = 0;
  if (H5Dget_chunk_storage_size(dataset_.id(), place.data(), &size) < 0) damaged(reason());
  if (size > file_size_) damaged(fmt::format("{} bytes in a file of {}", size, file_size_));
  std::vector<std::byte> bytes(size);
  if (H5Dread_chunk(dataset_.id(), H5P_DEFAULT, place.data(), &skipped, bytes.data()) < 0) damaged(reason());
  const auto used = [&](int filter) { return filter >= 0 && (skipped >> filter & 1U) == 0; };
  constexpr std::size_t checksum_size = 4;
  std::span<std::byte> packed(bytes);
  if (used(checksum_)) packed = packed.first(size - std::min<std::size_t>(size, checksum_size));
  const auto length = used(deflate_) ? inflated_size(packed, chunk_bytes()) : std::uint64_t{packed.size()};
  if (!length) damaged("inflate() failed");
  if (*length != chunk_bytes()) damaged(fmt::format("{} bytes, expected {}", *length, chunk_bytes()));
}

void Dataset::check_chunks(Index row, Index rows, Index col, Index cols) {
  const Index across = (cols_ - 1) / chunk_cols_ + 1;
  checked_.resize(chunks());
  for (Index i = row / chunk_rows_; i <= (row + rows - 1) / chunk_rows_; ++i)
    for (Index j = col / chunk_cols_; j <= (col + cols - 1) / chunk_cols_; ++j)
      if (const auto k = static_cast<std::size_t>(i * across + j); !checked_[k]) {
        check_chunk(i * chunk_rows_, j * chunk_cols_);
        checked_[k] = true;
      }
}

void Dataset::read(Index row, Index rows, Index col, Index cols, std::byte* out) {
  const Calls calls;
  if (packed_) check_chunks(row, rows, col, cols);
  const std::array<hsize_t, 2> start = {static_cast<hsize_t>(row), static_cast<hsize_t>(col)};
  const std::array<hsize_t, 2> count = {static_cast<hsize_t>(rows), static_cast<hsize_t>(cols)};
  const Handle memory(H5Screate_simple(dimensions_, count.data(), nullptr));
  if (H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(dataset_.id(), native_type(type_), memory.id(), space_.id(), H5P_DEFAULT, out) < 0) {
    stamp_.require_unchanged();
    fail(fmt::format("rows {} to {} cannot be read: {}", row + 1, row + rows, reason()));
  }
  stamp_.require_unchanged();  // HDF5 gives out zeros for what was cut off
}

}  // namespace landfall::hdf5
