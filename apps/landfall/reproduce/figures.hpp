// The figures and tables of the paper that can be run again, by name.
//
//   for (const Figure& figure : figures()) {
//     Page page{.name = figure.name, .title = figure.title};
//     figure.run(settings, page);
//     write_page(settings.out, page);
//   }
//
// A figure is one file in this folder and one line of the list in figures.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "reproduce/page.hpp"

namespace landfall::app {

struct ReproduceSettings {
  bool quick = false;  // sizes cut so that everything takes a minute or two
  std::filesystem::path
      data{};  // split MNIST: left.npy and right.npy; empty: planted data of that shape, if quick
  std::uint64_t seed = 0;
};

struct Figure {
  std::string name, title;
  bool needs_mnist = false;
  void (*run)(const ReproduceSettings& settings, Page& page) = nullptr;
};

std::span<const Figure> figures();

}  // namespace landfall::app
