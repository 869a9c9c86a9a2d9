#include <landfall/data/formats/idx_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/synthetic/split_images.hpp>

#include <data/gzip_bytes.hpp>
#include <data/source_checks.hpp>
#include <data/temporary_folder.hpp>

namespace landfall::test {
namespace {

constexpr int bytes = 0x08;

/// Five images of 4 rows and 6 columns of pixels from 0 to 127.
class SplitImages : public ::testing::Test {
 protected:
  /// Pixel (i, j) of an image.
  double pixel(Index image, Index i, Index j) const { return pixels_(image, i * 6 + j); }

  const TemporaryFolder folder_;
  const Matrix<double> pixels_ = whole_numbers(5, 24, 0, 1), labels_ = whole_numbers(5, 1, 0, 2);
  const std::filesystem::path out_ = folder_ / "out",
                              images_ =
                                  folder_.file("images", idx_file<std::uint8_t>(bytes, pixels_, {5, 4, 6})),
                              label_file_ =
                                  folder_.file("labels", idx_file<std::uint8_t>(bytes, labels_, {5}));
};

TEST_F(SplitImages, LeftAndRightAreTheHalvesOfEachRow) {
  const Shape half = write_split_images(out_, images_, {.labels = label_file_});
  EXPECT_EQ(half, (Shape{5, 12}));
  const Matrix<float> left = read_npy<float>(out_ / "left.npy"), right = read_npy<float>(out_ / "right.npy");
  ASSERT_EQ(left.rows(), 5);
  ASSERT_EQ(left.cols(), 12);
  ASSERT_EQ(right.cols(), 12);
  for (Index k = 0; k < 5; ++k)
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 3; ++j) {
        EXPECT_FLOAT_EQ(left(k, 3 * i + j), static_cast<float>(pixel(k, i, j) / 255));
        EXPECT_FLOAT_EQ(right(k, 3 * i + j), static_cast<float>(pixel(k, i, j + 3) / 255));
      }
  EXPECT_EQ(read_npy<double>(out_ / "labels.npy"), labels_);
  EXPECT_EQ(read_npy_header(InputFile(out_ / "left.npy")).type, NpyType::f4);
  EXPECT_EQ(read_npy_header(InputFile(out_ / "labels.npy")).shape, std::vector<Index>{5});
}

TEST_F(SplitImages, TopAndBottomAreItsFirstAndLastRows) {
  write_split_images(out_, images_, {.halves = Halves::top_bottom, .ending = ".npy"});
  const Matrix<float> left = read_npy<float>(out_ / "left.npy"), right = read_npy<float>(out_ / "right.npy");
  for (Index k = 0; k < 5; ++k)
    for (Index i = 0; i < 12; ++i) {
      EXPECT_FLOAT_EQ(left(k, i), static_cast<float>(pixels_(k, i) / 255));
      EXPECT_FLOAT_EQ(right(k, i), static_cast<float>(pixels_(k, i + 12) / 255));
    }
  EXPECT_FALSE(std::filesystem::exists(out_ / "labels.npy"));
}

TEST_F(SplitImages, CompressedFilesGiveTheSameAndOldLabelsDoNotStay) {
  write_split_images(out_, images_, {.labels = label_file_});
  const std::string left = content(out_ / "left.npy");
  const auto packed = folder_.file("images.gz", gzip_bytes(content(images_)));
  EXPECT_EQ(idx_sizes(packed), (std::vector<Index>{5, 4, 6}));
  write_split_images(out_, packed);
  EXPECT_EQ(content(out_ / "left.npy"), left);
  EXPECT_FALSE(std::filesystem::exists(out_ / "labels.npy"));
}

TEST_F(SplitImages, RefusesWhatAreNoImagesOrNotTheirLabels) {
  const auto error = [&](const std::filesystem::path& path, const SplitImagesOptions& options = {}) {
    return data_error(path, [&] { write_split_images(out_, path, options); });
  };
  EXPECT_EQ(error(folder_ / "missing"), "no such file");
  EXPECT_EQ(error(label_file_), "an array of 1 dimensions of type u1, expected images: 3 of type u1");
  EXPECT_EQ(error(folder_.file("floats", idx_file<float>(0x0d, pixels_, {5, 4, 6}))),
            "an array of 3 dimensions of type f4, expected images: 3 of type u1");
  const auto narrow = folder_.file("narrow", idx_file<std::uint8_t>(bytes, pixels_, {5, 8, 3}));
  EXPECT_EQ(error(narrow), "images of 3 columns, expected an even number of them to split");
  const auto low = folder_.file("low", idx_file<std::uint8_t>(bytes, pixels_, {5, 3, 8}));
  EXPECT_EQ(error(low, {.halves = Halves::top_bottom}),
            "images of 3 rows, expected an even number of them to split");
  const auto few = folder_.file("few", idx_file<std::uint8_t>(bytes, labels_.topRows(4), {4}));
  EXPECT_EQ(data_error(few, [&] { write_split_images(out_, images_, {.labels = few}); }),
            "4x1, expected one label for each of the 5 images of " + images_.string());
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace landfall::test
