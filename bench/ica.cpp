// bench_ica FOLDER SEED float|double: writes the paper's ICA mixture of that seed to FOLDER/SEED if it is not
// there, fits it once, and prints the seconds from opening the file to the result, and the Amari distance.
// bench/ica.py runs it beside FastICA.
#include <landfall/data/formats/open_source.hpp>
#include <landfall/data/synthetic/laplace_ica.hpp>
#include <landfall/models/ica/amari.hpp>
#include <landfall/models/ica/ica.hpp>

#include <string>

#include "timing.hpp"

namespace {

template <class S>
void run(const std::filesystem::path& folder, const landfall::Matrix<double>& mixing) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = landfall::fit_ica<S>(landfall::open_source<S>((folder / "data.npy").string()), {});
  const double seconds = landfall::bench::seconds_since(begin);
  fmt::print("{:.6f} {:.4e}\n", seconds,
             landfall::amari_distance(result.unmixing().template cast<double>(), mixing));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "bench_ica FOLDER SEED float|double\n");
    return 2;
  }
  const std::filesystem::path folder = std::filesystem::path(arguments[1]) / arguments[2];
  const landfall::LaplaceIcaOptions data{.seed = std::stoull(arguments[2])};
  if (!std::filesystem::exists(folder / "data.npy")) landfall::write_laplace_ica(folder, data);
  const auto mixing = landfall::LaplaceIca<float>(data).mixing();
  std::string(arguments[3]) == "float" ? run<float>(folder, mixing) : run<double>(folder, mixing);
}
