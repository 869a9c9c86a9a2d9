// landfall gevp A B -p K: the generalized eigenproblem of two matrix files.
#include <landfall/data/file.hpp>
#include <landfall/data/matrix_file.hpp>
#include <landfall/data/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/gevp.hpp>
#include <landfall/parallel/threads.hpp>
#include <landfall/version.hpp>

#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "commands.hpp"

namespace landfall::app {
namespace {

struct Options {
  std::string a, b;  // files
  std::string method = "auto", direction = "preconditioned", precision = "double";
  std::string known;  // a file of eigenvalues to compare with
  std::string out;    // run folder
  GevpOptions gevp;
  int threads = 0;
  bool json = false, quiet = false;
};

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

template <class S>
OperatorPtr<S> load_operator(const std::string& path) {
  return std::visit(
      [](auto&& matrix) -> OperatorPtr<S> {
        using M = std::decay_t<decltype(matrix)>;
        if constexpr (std::is_same_v<M, Matrix<S>>)
          return std::make_shared<DenseOperator<S>>(std::move(matrix));
        else
          return std::make_shared<SparseOperator<S>>(std::move(matrix));
      },
      load_symmetric<S>(path));
}

/// The known eigenvalues that the p found ones should meet, in the same order.
std::vector<double> expected_values(const Options& options) {
  if (options.known.empty()) return {};
  const Matrix<double> all = read_npy<double>(options.known);
  std::vector<double> values(all.data(), all.data() + all.size());
  if (values.size() < static_cast<std::size_t>(options.gevp.components))
    throw DataError(fmt::format("{}: {} values, expected at least {}", options.known, values.size(), options.gevp.components));
  std::sort(values.begin(), values.end());
  if (!options.gevp.smallest) std::reverse(values.begin(), values.end());
  values.resize(static_cast<std::size_t>(options.gevp.components));
  return values;
}

/// One line that is rewritten a few times a second, on a terminal only.
auto live_line(const GevpOptions& options) {
  return [last = Clock::time_point{}, smallest = options.smallest](const GevpProgress& progress) mutable {
    if (since(last) > 0.2) {
      last = Clock::now();
      fmt::print(stderr, "\riteration {:6}   residual {:.2e}   infeasibility {:.2e} ", progress.iteration,
                 progress.residual, progress.infeasibility);
    }
    return true;
  };
}

template <class S>
void print_table(const GevpResult<S>& result, const std::vector<double>& expected) {
  fmt::print("{:>4}  {:>16}  {:>10}{}\n", "", "eigenvalue", "residual", expected.empty() ? "" : "             known       error");
  for (Index i = 0; i < result.values.size(); ++i) {
    const double value = static_cast<double>(result.values(i));
    fmt::print("{:>4}  {:>16.10g}  {:>10.1e}", i + 1, value, result.residuals(i));
    if (!expected.empty()) {
      const double truth = expected[static_cast<std::size_t>(i)];
      fmt::print("  {:>16.10g}  {:>10.1e}", truth, std::abs(value - truth));
    }
    fmt::print("\n");
  }
}

template <class S>
void run(const Options& options) {
  const auto begin = Clock::now();
  const auto a = load_operator<S>(options.a), b = load_operator<S>(options.b);
  if (a->size() != b->size())
    throw DataError(fmt::format("{0} is {1}x{1} but {2} is {3}x{3}; expected the same size", options.a, a->size(),
                                options.b, b->size()));
  const auto expected = expected_values(options);
  const double read = since(begin);

  GevpOptions gevp = options.gevp;
  const bool live = !options.quiet && isatty(STDERR_FILENO);
  if (live) gevp.observer = live_line(gevp);
  const auto solve_begin = Clock::now();
  GevpResult<S> result;
  try {
    result = solve_gevp<S>(a, b, gevp);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", options.b, error.what()));
  }
  const double solve = since(solve_begin);
  if (live && result.iterations > 0) fmt::print(stderr, "\r\033[K");
  if (result.termination == Termination::diverged)
    throw NumericalError(fmt::format("{} diverged after {} iterations", to_string(result.method), result.iterations));

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  using Json = nlohmann::ordered_json;
  const std::vector<S> values(result.values.begin(), result.values.end());
  const std::vector<S> residuals(result.residuals.begin(), result.residuals.end());
  const Json summary{
      {"problem", "gevp"},
      {"method", to_string(result.method)},
      {"reason", result.reason},
      {"samples", nullptr},
      {"features", a->size()},
      {"components", gevp.components},
      {"eigenvalues", values},
      {"residuals", residuals},
      {"infeasibility", result.infeasibility},
      {"stationarity", result.stationarity},
      {"passes", nullptr},
      {"iterations", result.iterations},
      {"batch", nullptr},
      {"estimator", nullptr},
      {"ridge", 0},
      {"seconds", {{"total", since(begin)}, {"read", read}, {"solve", solve}, {"evaluate", 0}}},
      {"peak_memory_bytes", static_cast<std::uint64_t>(usage.ru_maxrss) * 1024},
      {"seed", gevp.seed},
      {"threads", threads()},
      {"precision", options.precision},
      {"termination", to_string(result.termination)},
      {"version", version()}};

  if (!options.out.empty()) {
    std::filesystem::create_directories(options.out);
    write_npy_vector<S>(options.out + "/eigenvalues.npy", result.values);
    write_npy<S>(options.out + "/eigenvectors.npy", result.vectors);
    AtomicFile file(options.out + "/summary.json");
    file.write(summary.dump(2) + "\n");
    file.commit();
  }
  if (options.json) {
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  print_table(result, expected);
  if (!options.quiet) {
    fmt::print(stderr, "{} ({}), {} in {:.2f} s", to_string(result.method), result.reason, to_string(result.termination), solve);
    if (result.iterations > 0) fmt::print(stderr, ", {} iterations", result.iterations);
    fmt::print(stderr, "\n");
  }
}

void check(Options& options) {
  options.gevp.method = parse_gevp_method(options.method);
  options.gevp.direction = parse_direction(options.direction);
  if (options.precision != "single" && options.precision != "double")
    throw UsageError(fmt::format("unknown precision '{}'; expected single or double", options.precision));
  if (options.gevp.components < 1)
    throw UsageError(fmt::format("-p must be at least 1, got {}", options.gevp.components));
  if (!options.out.empty() && std::filesystem::exists(options.out))
    throw UsageError(fmt::format("{}: exists already; give a run folder that does not", options.out));
  if (options.threads != 0) set_threads(options.threads);
}

}  // namespace

void setup_gevp(CLI::App& program) {
  auto options = std::make_shared<Options>();
  auto* command = program.add_subcommand("gevp", "Largest or smallest eigenpairs of A x = lambda B x");
  command->add_option("A", options->a, "symmetric matrix (.npy or Matrix Market)")->required();
  command->add_option("B", options->b, "symmetric positive definite matrix")->required();
  command->add_option("-p,--components", options->gevp.components, "how many eigenpairs")->required();
  command->add_flag("--smallest", options->gevp.smallest, "the smallest eigenvalues instead of the largest");
  command->add_option("--method", options->method, "auto, direct, lobpcg or landing")->capture_default_str();
  command->add_option("--direction", options->direction, "landing: metric, riemannian, euclidean or preconditioned")
      ->capture_default_str();
  command->add_option("--tolerance", options->gevp.tolerance, "relative residual to reach (default by precision)");
  command->add_option("--max-iterations", options->gevp.max_iterations, "iteration limit (default by method)");
  command->add_option("--known", options->known, "eigenvalues (.npy) to compare with");
  command->add_option("--seed", options->gevp.seed, "seed of the start")->capture_default_str();
  command->add_option("--threads", options->threads, "threads of dense products (default: all)");
  command->add_option("--precision", options->precision, "single or double")->capture_default_str();
  command->add_option("--out", options->out, "write eigenvalues, eigenvectors and summary.json into this new folder");
  command->add_flag("--json", options->json, "print one JSON object");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->footer("Examples:\n  landfall gevp A.npy B.npy -p 5\n  landfall gevp K.mtx M.mtx -p 10 --smallest --json");
  command->callback([options] {
    check(*options);
    if (options->precision == "single")
      run<float>(*options);
    else
      run<double>(*options);
  });
}

}  // namespace landfall::app
