#include <landfall/data/formats/idx_source.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/synthetic/split_images.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

struct ImageSize {
  Index height = 0;
  Index width = 0;
};

ImageSize image_size(const Source<float>& images, Halves halves) {
  const std::vector<Index> sizes = idx_sizes(images.name());
  if (images.element_type() != "u1" || sizes.size() != 3)
    throw DataError(fmt::format("{}: an array of {} dimensions of type {}, expected images: 3 of type u1",
                                images.name(), sizes.size(), images.element_type()));
  const bool across = halves == Halves::left_right;
  const Index halved = sizes[across ? 2 : 1];
  if (halved % 2 != 0)
    throw DataError(fmt::format("{}: images of {} {}, expected an even number of them to split",
                                images.name(), halved, across ? "columns" : "rows"));
  return {sizes[1], sizes[2]};
}

Vector<float> read_labels(const std::filesystem::path& path, const Source<float>& images) {
  const auto source = open_idx<float>(path);
  const Index count = images.rows().value_or(0);
  if (source->cols() != 1 || source->rows() != count)
    throw DataError(fmt::format("{}: {}x{}, expected one label for each of the {} images of {}",
                                source->name(), source->rows().value_or(0), source->cols(), count,
                                images.name()));
  Batch<float> batch;
  source->read(count, batch);
  return batch.dense().row(0).transpose();
}

/// Appends the halves of the images of a batch to the batches of the views.
void split(const Batch<float>& images, ImageSize size, Halves halves, Batch<float>& left,
           Batch<float>& right) {
  const bool across = halves == Halves::left_right;
  const Index height = across ? size.height : size.height / 2, width = across ? size.width / 2 : size.width;
  left.start_dense(height * width);
  right.start_dense(height * width);
  for (Index i = 0; i < images.rows(); ++i) {
    const Eigen::Map<const RowMatrix<float>> image(images.dense().col(i).data(), size.height, size.width);
    const Index number = images.numbers()[static_cast<std::size_t>(i)];
    Eigen::Map<RowMatrix<float>>(left.add_row(number).data(), height, width) =
        image.topLeftCorner(height, width) / 255;
    Eigen::Map<RowMatrix<float>>(right.add_row(number).data(), height, width) =
        image.bottomRightCorner(height, width) / 255;
  }
}

}  // namespace

Shape write_split_images(const std::filesystem::path& folder, const std::filesystem::path& path,
                         const SplitImagesOptions& options) {
  const auto images = open_idx<float>(path);
  const ImageSize size = image_size(*images, options.halves);
  const Index cols = images->cols() / 2;
  const Vector<float> labels = options.labels ? read_labels(*options.labels, *images) : Vector<float>();
  make_folder(folder);
  const auto left = open_writer<float>(folder / ("left" + options.ending), cols);
  const auto right = open_writer<float>(folder / ("right" + options.ending), cols);
  Batch<float> batch, x, y;
  while (images->read(1024, batch) > 0) {
    split(batch, size, options.halves, x, y);
    left->write(x);
    right->write(y);
  }
  if (options.labels) {
    write_npy_vector<float>(folder / "labels.npy", labels);
  } else {
    remove_file(folder / "labels.npy");
  }
  left->finish();
  right->finish();
  return {images->rows().value_or(0), cols};
}

}  // namespace landfall
