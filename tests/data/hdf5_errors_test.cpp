// What is wrong with an HDF5 file is told, and never followed.
#include <landfall/data/formats/hdf5_source.hpp>
#include <landfall/data/formats/open_source.hpp>

#include <data/gzip_bytes.hpp>
#include <data/hdf5_file.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>
#include <support.hpp>

namespace landfall::test {
namespace {

std::string open_error(const std::filesystem::path& path) {
  testing::internal::CaptureStderr();
  const std::string text = data_error(path, [&] {
    const auto source = open_source<float>(path);
    Batch<float> batch;
    while (source->read(7, batch) > 0) continue;
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return text;
}

TEST(Hdf5Errors, ADatasetMustBeAMatrixOfNumbers) {
  const TemporaryFolder folder;
  const auto path = folder / "m.h5";
  const auto error = [&](const std::string& name) { return open_error(path.string() + ":" + name); };
  const Matrix<double> m = whole_numbers(4, 3, 0, 1);
  add_hdf5<float>(path, "/a/m", m);
  EXPECT_EQ(error("/m"), "no such dataset, expected one of /a/m");
  EXPECT_EQ(error("/a/m/x"), "no such dataset, expected one of /a/m");
  EXPECT_EQ(error("/a"), "a group, expected a dataset, one of /a/m");
  EXPECT_EQ(error("/"), "a group, expected a dataset, one of /a/m");
  const std::string numbers = ", expected numbers of type f4, f8, u1, u2, u4, u8, i1, i2, i4, i8";
  add_hdf5(path, "/strings", H5T_C_S1, {4, 3}, "abcdefghijkl");
  EXPECT_EQ(error("/strings"), "a dataset of strings" + numbers);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(pair, "r", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(pair, "i", 4, H5T_NATIVE_FLOAT);
  add_hdf5(path, "/complex", pair, {2, 3}, m.data());
  H5Tclose(pair);
  EXPECT_EQ(error("/complex"), "a dataset of compound entries" + numbers);
  add_hdf5(path, "/long", H5T_NATIVE_LDOUBLE, {1, 1}, nullptr);
  EXPECT_EQ(error("/long"), "a dataset of floating-point numbers of 16 bytes" + numbers);
  add_hdf5(path, "/cube", H5T_NATIVE_DOUBLE, {2, 3, 2}, m.data());
  EXPECT_EQ(error("/cube"), "a dataset of 3 dimensions, expected 1 or 2");
  add_hdf5(path, "/scalar", H5T_NATIVE_DOUBLE, {}, m.data());
  EXPECT_EQ(error("/scalar"), "a dataset of 0 dimensions, expected 1 or 2");
  add_hdf5(path, "/empty", H5T_NATIVE_DOUBLE, {0, 3}, nullptr);
  EXPECT_EQ(error("/empty"), "0 x 3, expected at least one row and one column");
  add_hdf5(path, "/none", H5T_NATIVE_DOUBLE, {0}, nullptr);
  EXPECT_EQ(error("/none"), "0 x 1, expected at least one row and one column");
}

TEST(Hdf5Errors, WhatIsNotStoredIsNotRead) {
  const TemporaryFolder folder;
  const auto path = folder / "m.h5";
  const auto error = [&](const std::string& name) { return open_error(path.string() + ":" + name); };
  constexpr hsize_t huge = hsize_t{1} << 40;
  add_hdf5(path, "/late", H5T_NATIVE_FLOAT, {huge, 1000}, nullptr);
  EXPECT_EQ(error("/late"), "truncated: 1099511627776 x 1000 takes 4398046511104000 bytes, found 0");
  add_hdf5(path, "/chunks", H5T_NATIVE_FLOAT, {huge, 1000}, nullptr,
           {.chunk_rows = 1024, .chunk_cols = 1000});
  EXPECT_EQ(error("/chunks"), "truncated: 1099511627776 x 1000 takes 1073741824 chunks, found 0");
  add_hdf5(path, "/large", H5T_NATIVE_DOUBLE, {huge, huge}, nullptr, {.chunk_rows = 8, .chunk_cols = 8});
  EXPECT_EQ(error("/large"), "1099511627776 x 1099511627776, more than 2^62 bytes");

  add_hdf5<float>(path, "/filter", whole_numbers(4, 3, 0, 1),
                  {.chunk_rows = 2, .chunk_cols = 3, .filter = H5Z_FILTER_NBIT});
  EXPECT_EQ(error("/filter"),
            "compressed with filter 5 (nbit), expected shuffle, deflate, fletcher32 or a combination of them "
            "this order");

  folder.file("numbers", std::string(48, 'x'));
  const hid_t file = hdf5_file(path), creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> sizes = {4, 3};
  H5Pset_external(creation, (folder / "numbers").c_str(), 0, 48);
  const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
  const hid_t dataset =
      H5Dcreate2(file, "/outside", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  for (const hid_t id : {dataset, space, creation, file}) H5Idec_ref(id);
  EXPECT_EQ(error("/outside"), "data stored in other files, expected it in this file");
}

TEST(Hdf5Errors, AFileThatIsNoneOrCutShortIsToldSo) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_error(folder / "none.h5"), "no such file");
  EXPECT_EQ(
      data_error(folder / "none.h5", [&] { open_source<float>((folder / "none.h5").string() + ":/x"); }),
      "no such file");
  EXPECT_EQ(open_error(folder.file("bad.h5", "text")), "not an HDF5 file");
  EXPECT_EQ(open_error(folder.file("empty.h5", "")), "not an HDF5 file");
  std::filesystem::create_directory(folder / "folder.h5");
  EXPECT_EQ(data_error(folder / "folder.h5", [&] { Hdf5Source<float>(folder / "folder.h5"); }),
            "a folder, expected a file");
  EXPECT_EQ(data_error(folder / "bad.h5", [&] { open_source<float>((folder / "bad.h5").string() + ":/x"); }),
            "not an HDF5 file");

  add_hdf5<float>(folder / "m.h5", "/m", whole_numbers(40, 30, 0, 1),
                  {.chunk_rows = 10, .chunk_cols = 30, .deflate = 6});
  const std::string good = content(folder / "m.h5");
  EXPECT_EQ(open_error(folder.file("packed.h5", gzip_bytes(good))),
            "a compressed HDF5 file; decompress it first");
  EXPECT_EQ(open_error(folder.file("cut.h5", good.substr(0, good.size() - 100))).substr(0, 36),
            "damaged HDF5 file: truncated file: e");
  for (std::size_t length = 8; length < good.size(); length += 13)
    EXPECT_NE(open_error(folder.file("cut.h5", good.substr(0, length))), "no error") << length;
  const std::size_t deflated = good.find("\x78\x9c");  // how zlib begins at level 6
  ASSERT_NE(deflated, good.npos);
  std::string bad = good;
  std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(deflated) + 2, 20, '\xff');
  const auto path = folder.file("bad.h5", bad);
  const std::string text = open_error(path.string() + ":/m");
  EXPECT_EQ(text, "damaged chunk at row 1, column 1: inflate() failed");
}

/// HDF5 would allocate what this file of 256 bytes says, four gigabytes, and then find it damaged.
TEST(Hdf5Errors, DriverInformationLargerThanTheFileIsRefusedBeforeItIsAllocated) {
  const TemporaryFolder folder;
  std::string bytes("\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0", 16);
  bytes += std::string(8, '\0');
  for (const std::uint64_t address :
       {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{256}, std::uint64_t{100}})
    bytes.append(reinterpret_cast<const char*>(&address), sizeof address);
  bytes.resize(256, '\0');
  bytes.replace(104, 4, std::string("\0\0\0\xf0", 4));
  EXPECT_EQ(
      open_error(folder.file("driver.h5", bytes)),
      "damaged HDF5 file: 4026531840 bytes of driver information, expected at most the 256 of the file");
  // addresses of two bytes, the last of them cut: HDF5 takes it for 10, where four bytes on are 04 46 0a 0a
  const std::string cut(
      "\x89HDF\r\n\x1a\n\1\0\0\1\0\2\4F\n\n\1\1\0\0\x08\x88\x08\x08\x08\x30\0\x08\x08\x08\x08\x08\n", 35);
  EXPECT_EQ(open_error(folder.file("cut.h5", cut)),
            "damaged HDF5 file: 168445444 bytes of driver information, expected at most the 35 of the file");
}

/// A dataset whose only chunk holds these bytes, packed already.
std::string chunk_error(const TemporaryFolder& folder, const std::string& bytes, bool shuffled,
                        unsigned skipped) {
  const auto path = folder / "chunk.h5";
  std::filesystem::remove(path);
  const hid_t file = hdf5_file(path), creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> sizes = {4096, 64}, start = {0, 0};  // a mebibyte
  const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
  H5Pset_chunk(creation, 2, sizes.data());
  shuffled ? H5Pset_shuffle(creation) : H5Pset_deflate(creation, 1);
  const hid_t dataset = H5Dcreate2(file, "/m", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, start.data(), bytes.size(), bytes.data());
  for (const hid_t id : {dataset, space, creation, file}) H5Idec_ref(id);
  return open_error(path.string() + ":/m");
}

std::string deflated(std::size_t size) {
  const std::string zeros(size, '\0');
  std::string out(compressBound(size), '\0');
  uLongf length = out.size();
  compress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(zeros.data()), size);
  return out.substr(0, length);
}

TEST(Hdf5Errors, AChunkThatUnpacksToAnotherSizeIsNotRead) {
  const TemporaryFolder folder;
  constexpr std::size_t size = 4 << 18;
  const std::string place = "damaged chunk at row 1, column 1: ";
  EXPECT_EQ(chunk_error(folder, deflated(size), false, 0), "no error");
  EXPECT_EQ(chunk_error(folder, std::string(size, 'x'), true, 1), "no error");
  EXPECT_EQ(chunk_error(folder, deflated(10), false, 0), place + "10 bytes, expected 1048576");
  EXPECT_EQ(chunk_error(folder, deflated(size - 1), false, 0), place + "1048575 bytes, expected 1048576");
  EXPECT_EQ(chunk_error(folder, deflated(size).substr(0, 500), false, 0), place + "inflate() failed");
  EXPECT_EQ(chunk_error(folder, deflated(size), false, 1),
            place + fmt::format("{} bytes, expected 1048576", deflated(size).size()));
  EXPECT_EQ(chunk_error(folder, "short", true, 0), place + "5 bytes, expected 1048576");
  EXPECT_NE(chunk_error(folder, deflated(20 * size), false, 0), "no error");
}

TEST(Hdf5Errors, ADamagedFileIsReadOrRefused) {
  const TemporaryFolder folder;
  const Matrix<double> m = whole_numbers(60, 8, 0, 1);
  add_hdf5<float>(folder / "packed.h5", "/g/m", m, {.chunk_rows = 16, .chunk_cols = 8, .deflate = 4});
  add_hdf5<double>(folder / "contiguous.h5", "/m", m);
  add_hdf5<std::int16_t>(folder / "chunked.h5", "/m", m, {.chunk_rows = 16, .chunk_cols = 3});
  Batch<float> batch;
  int refused = 0;
  for (const std::string name : {"packed.h5", "contiguous.h5", "chunked.h5"}) {
    const std::string good = content(folder / name);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      std::string bad = good;
      for (std::uint64_t k = 0; k < 1 + seed % 3; ++k) {
        const auto words = random_words({seed, 3}, k);
        bad[words[0] % good.size()] = words[1] % 2 == 0 ? '\xff' : static_cast<char>(words[2]);
      }
      try {
        Hdf5Source<float> source(folder.file("bad.h5", bad));
        while (source.read(64, batch) > 0) continue;
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Hdf5Library, KeepsItsWayToPrintErrorsForOthers) {
  const TemporaryFolder folder;
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data_before = nullptr, *data_after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  EXPECT_EQ(open_error(folder.file("bad.h5", "text")), "not an HDF5 file");
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  EXPECT_NE(before, nullptr);
  EXPECT_EQ(before, after);
  EXPECT_EQ(data_before, data_after);
}

}  // namespace
}  // namespace landfall::test
