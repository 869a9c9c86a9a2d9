// Two views of a set of images: their halves. Split MNIST is the paper's CCA experiment.
//
//   landfall::write_split_images("out", "train-images-idx3-ubyte", {.labels = "train-labels-idx1-ubyte"});
//   // out/left.npy, out/right.npy: 60000 x 392, pixels / 255; out/labels.npy
#pragma once

#include <landfall/linalg/types.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace landfall {

enum class Halves { left_right, top_bottom };

struct SplitImagesOptions {
  /// An IDX file with one number per image; none are written when not given.
  std::optional<std::filesystem::path> labels = std::nullopt;
  /// The half called left is the left or the upper one.
  Halves halves = Halves::left_right;
  /// See open_writer.
  std::string ending = ".npy";
};

/// From an IDX file of images of bytes, plain or gzip-compressed, whose width (height for top and bottom) is
/// even. Writes left and right in single precision, batch by batch, and labels.npy; makes the folder if it is
/// missing. A labels.npy left there by other images does not stay beside images without labels. Returns how
/// many images there are, and the columns of each half.
Shape write_split_images(const std::filesystem::path& folder, const std::filesystem::path& images,
                         const SplitImagesOptions& options = {});

}  // namespace landfall
