// bench_lda DATA LABELS exact|landing float|double RIDGE|default OUT: LDA of a file with as many components
// as there are; writes the weights to OUT (.npy) and prints the seconds without the evaluation and the
// accuracy on the rows it was trained on. bench/lda.py runs it beside scikit-learn.
#include <landfall/data/formats/npy.hpp>
#include <landfall/data/formats/open_source.hpp>
#include <landfall/models/lda/lda.hpp>

#include <string>

#include "timing.hpp"

namespace {

template <class S>
void run(char** arguments) {
  landfall::LdaOptions options{.method = landfall::parse_fit_method(arguments[3])};
  if (std::string(arguments[5]) != "default") options.ridge = std::stod(arguments[5]);
  const auto result = landfall::fit_lda<S>(landfall::open_source<S>(arguments[1]),
                                           landfall::read_labels(arguments[2]), options);
  landfall::write_npy<S>(arguments[6], result.views[0].weights);
  fmt::print("{:.4f} {:.6f}\n", result.seconds.read + result.seconds.solve, result.training_accuracy);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) {
    fmt::print(stderr, "bench_lda DATA LABELS exact|landing float|double RIDGE|default OUT\n");
    return 2;
  }
  std::string(arguments[4]) == "float" ? run<float>(arguments) : run<double>(arguments);
}
