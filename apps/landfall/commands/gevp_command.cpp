// landfall gevp A B -p K: the generalized eigenproblem of two matrix files.
#include <landfall/data/formats/matrix_file.hpp>
#include <landfall/data/formats/npy.hpp>
#include <landfall/errors.hpp>
#include <landfall/models/gevp/gevp_plan.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands/problem_commands.hpp"
#include "problems/problems.hpp"
#include "runs/interrupts.hpp"
#include "runs/model_run.hpp"
#include "terminal/arguments.hpp"
#include "terminal/method_option.hpp"
#include "terminal/model_options.hpp"
#include "terminal/plan_table.hpp"
#include "terminal/progress.hpp"
#include "terminal/screen.hpp"
#include "terminal/stopwatch.hpp"
#include "terminal/table.hpp"
#include <fmt/format.h>

namespace landfall::app {
namespace {

struct GevpArguments {
  std::string a, b;  // files
  std::string method = "auto", direction = "auto";
  std::string known;  // a file of eigenvalues to compare with
  GevpOptions gevp;
  RunOptions run{.precision = "double"};
};

const ProblemEntry& gevp_problem() {
  return find_problem("gevp");
}

template <class S>
OperatorPtr<S> load_operator(const std::string& path) {
  return std::visit(
      [](auto matrix) -> OperatorPtr<S> {
        using M = decltype(matrix);
        if constexpr (std::is_same_v<M, Matrix<S>>)
          return std::make_shared<DenseOperator<S>>(std::move(matrix));
        else
          return std::make_shared<SparseOperator<S>>(std::move(matrix));
      },
      load_symmetric<S>(path));
}

/// The known eigenvalues that the p found ones should meet, in the same order.
std::vector<double> expected_values(const GevpArguments& options) {
  if (options.known.empty()) return {};
  const Matrix<double> all =
      std::visit([](const auto& m) { return Matrix<double>(m); }, load_matrix<double>(options.known));
  if (all.rows() != 1 && all.cols() != 1)
    throw DataError(fmt::format("{}: {}x{}, expected one row or column of eigenvalues", options.known,
                                all.rows(), all.cols()));
  if (all.size() < options.gevp.components)
    throw DataError(fmt::format("{}: {} values, expected at least {}", options.known, all.size(),
                                options.gevp.components));
  std::vector<double> values(all.data(), all.data() + all.size());
  std::sort(values.begin(), values.end());
  if (!options.gevp.smallest) std::reverse(values.begin(), values.end());
  values.resize(static_cast<std::size_t>(options.gevp.components));
  return values;
}

template <class S>
void print_table(const GevpResult<S>& result, const std::vector<double>& expected) {
  const auto p = static_cast<std::size_t>(result.values.size());
  std::vector<double> numbers(result.values.begin(), result.values.end());
  numbers.insert(numbers.end(), expected.begin(), expected.end());
  const auto texts = aligned(numbers, std::is_same_v<S, float> ? 7 : 12);
  std::size_t width = 10;
  for (const auto& text : texts) width = std::max(width, text.size());

  fmt::print("{:>4}  {:>{}}  {:>8}", "", "eigenvalue", width, "residual");
  if (!expected.empty()) fmt::print("  {:>{}}  {:>8}", "known", width, "error");
  fmt::print("\n");
  for (std::size_t i = 0; i < p; ++i) {
    fmt::print("{:>4}  {:>{}}  {:>8.1e}", i + 1, texts[i], width, result.residuals(static_cast<Index>(i)));
    if (!expected.empty())
      fmt::print("  {:>{}}  {:>8.1e}", texts[p + i], width, std::abs(numbers[i] - numbers[p + i]));
    fmt::print("\n");
  }
}

/// One line on standard error: how the run went. What did not converge is a warning.
template <class S>
void print_end(const GevpResult<S>& result, double seconds, bool wanted) {
  std::fflush(stdout);
  tell_warnings(result.warnings);
  if (!wanted || !result.warnings.empty()) return;
  tell("{} ({}): {:.2f} s", result.method_name, result.reason, seconds);
  if (result.iterations > 0) tell(", {} iterations", result.iterations);
  tell("\n");
}

struct Moment {
  GevpProgress progress;
  double seconds = 0;
};

HistoryTable iteration_table(const std::vector<Moment>& history) {
  HistoryTable table{{"iteration", "seconds", "residual", "infeasibility"},
                     Matrix<double>(static_cast<Index>(history.size()), 4)};
  for (Index i = 0; i < table.rows.rows(); ++i) {
    const auto& [at, seconds] = history[static_cast<std::size_t>(i)];
    table.rows.row(i) << static_cast<double>(at.iteration), seconds, at.residual, at.infeasibility;
  }
  return table;
}

template <class S>
std::pair<OperatorPtr<S>, OperatorPtr<S>> load_operators(const GevpArguments& options) {
  auto a = load_operator<S>(options.a), b = load_operator<S>(options.b);
  if (a->size() != b->size())
    throw DataError(fmt::format("{0} is {1}x{1} but {2} is {3}x{3}; expected the same size", options.a,
                                a->size(), options.b, b->size()));
  return {std::move(a), std::move(b)};
}

ShownPlan shown_gevp(const GevpPlan& plan) {
  return {to_string(plan.method),
          fmt::format("{} (lobpcg: time of {:.0f} iterations)", plan.reason, kPlannedIterations),
          {{"direct", plan.direct}, {"lobpcg", plan.lobpcg}}};
}

template <class S>
void plan(const GevpArguments& options) {
  const auto [a, b] = load_operators<S>(options);
  tell_plan(gevp_problem().name, shown_gevp(plan_gevp<S>(*a, *b, options.gevp)), options.run.json);
}

template <class S>
void run(const GevpArguments& options) {
  const auto begin = Clock::now();
  std::optional<Interrupts> interrupts(std::in_place);
  const auto [a, b] = load_operators<S>(options);
  const auto expected = expected_values(options);
  interrupts->cancel().throw_if_requested();
  const double read = since(begin);

  GevpOptions gevp = options.gevp;
  const auto solve_begin = Clock::now();
  GevpResult<S> result;
  std::vector<Moment> history;
  try {
    if (options.run.verbose) tell_computation();
    if (options.run.verbose) print_plan(stderr, shown_gevp(plan_gevp<S>(*a, *b, gevp)));
    ProgressLine line(standard_error(), !options.run.quiet);
    gevp.observer = [&](const GevpProgress& progress) {
      interrupts->cancel().throw_if_requested();
      if (!options.run.out.empty()) history.push_back({progress, since(solve_begin)});
      line.show([&] {
        return Parts{
            fmt::format("iteration {}", progress.iteration),
            fmt::format("residual {:.1e}", progress.residual),
            count_text(static_cast<double>(progress.iteration) / since(solve_begin)) + " iterations/s",
            fmt::format("infeasible {:.1e}", progress.infeasibility), memory_text(peak_memory())};
      });
      return true;
    };
    result = solve_gevp<S>(a, b, gevp);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", options.b, error.what()));
  } catch (const NumericalError& error) {
    throw NumericalError(fmt::format("{}, {}: {}", options.a, options.b, error.what()));
  }
  interrupts->cancel().throw_if_requested();
  interrupts.reset();
  const double solve = since(solve_begin);

  Json summary{{"problem", gevp_problem().name},
               {"data", {options.a, options.b}},
               {"method", result.method_name},
               {"reason", result.reason},
               {"samples", nullptr},
               {"features", a->size()},
               {"components", gevp.components},
               {"eigenvalues", std::vector<S>(result.values.begin(), result.values.end())},
               {"residuals", std::vector<S>(result.residuals.begin(), result.residuals.end())},
               {"infeasibility", result.infeasibility},
               {"converged", result.termination == Termination::converged},
               {"warnings", result.warnings}};
  append_numbers(summary, options.run.precision,
                 {.stationarity = result.stationarity,
                  .iterations = result.iterations,
                  .ridge = 0,
                  .total = since(begin),
                  .read = read,
                  .solve = solve,
                  .seed = gevp.seed,
                  .termination = result.termination});
  if (!expected.empty()) summary["known"] = expected;

  RunReport report{.problem = gevp_problem(), .summary = std::move(summary)};
  if (!options.run.out.empty()) report.weights.push_back(result.vectors.template cast<double>());
  deliver(options.run, {.report = std::move(report),
                        .history = iteration_table(history),
                        .write_files =
                            [&](const std::filesystem::path& folder) {
                              write_npy_vector<S>(folder / "eigenvalues.npy", result.values);
                              write_npy<S>(folder / gevp_problem().views[0].weights, result.vectors);
                            },
                        .print_table = [&] { print_table(result, expected); }});
  print_end(result, solve, options.run.verbose || (!options.run.quiet && !options.run.json));
}

void check(GevpArguments& options) {
  const Baseline* baseline = find_baseline_or_null(options.method);
  if (baseline && baseline->name != "lobpcg")  // which gevp has itself
    options.gevp.baseline = find_baseline(options.method, Problem::gevp).name;
  else
    options.gevp.method = parse_gevp_method(options.method);
  if (options.direction != "auto") options.gevp.direction = parse_direction(options.direction);
}

}  // namespace

void setup_gevp(CLI::App& parent, Action action) {
  auto options = std::make_shared<GevpArguments>();
  auto* command = parent.add_subcommand(std::string(gevp_problem().name),
                                        "Largest or smallest eigenpairs of A x = lambda B x");
  const OptionAdder add{command};
  const auto& files = gevp_problem().files;
  add(files[0].name, options->a, "FILE", files[0].text)->required();
  add(files[1].name, options->b, "FILE", files[1].text)->required();
  add("-p,--components", options->gevp.components, "K", "number of eigenpairs; required")
      ->required()
      ->check(whole_number(1));
  command->add_flag("--smallest", options->gevp.smallest, "the smallest eigenvalues instead of the largest");
  add("--method", options->method, "NAME",
      "auto, direct, lobpcg, landing or a name from landfall methods [auto]")
      ->check(known_method({"auto", "direct", "lobpcg", "landing"}, Problem::gevp));
  auto* direction = add("--direction", options->direction, "NAME",
                        "direction of landing: metric, riemannian, euclidean or preconditioned [riemannian "
                        "for the largest eigenvalues "
                        "if B can be factorised, otherwise preconditioned with a sketch of B]")
                        ->check(one_of({"auto", "metric", "riemannian", "euclidean", "preconditioned"}));
  add("--tolerance", options->gevp.tolerance, "X",
      "relative residual at which to stop [1e-10; 1e-5 in single precision]")
      ->check(positive_number());
  add("--max-iterations", options->gevp.max_iterations, "N",
      "maximum number of iterations [lobpcg 1000, landing 20000]")
      ->check(whole_number(1));
  add("--step", options->gevp.step, "ETA", "step size of a baseline [chosen from the data]")
      ->check(positive_number());
  add("--known", options->known, "FILE", "eigenvalues to compare with");
  add("--precision", options->run.precision, "NAME", "single or double [double]")
      ->check(one_of({"single", "double"}));
  add("--seed", options->gevp.seed, "N", "seed of the random starting point [0]")->check(whole_number(0));
  add("--threads", options->run.threads, "N", "number of threads [all processors it may use]")
      ->check(whole_number(1));
  auto* out = add("--out", options->run.out, "FOLDER",
                  "new folder for eigenvalues.npy, eigenvectors.npy, history, summary and report");
  command->add_flag("--force", options->run.force, "replace an existing run")->needs(out);
  command->add_flag("--json", options->run.json, "print one JSON object instead of the table");
  add_quiet(add, options->run.quiet, options->run.verbose);
  command->footer(
      "Examples:\n"
      "  landfall gevp A.npy B.npy -p 5\n"
      "  landfall gevp stiffness.mtx mass.mtx -p 10 --smallest --json");
  command->callback([options, action, direction] {
    if (action == Action::compare) return;
    if (direction->count() > 0 && options->method != "auto" && options->method != "landing")
      throw CLI::ValidationError("--direction",
                                 fmt::format("is an option of landing, but --method is {}", options->method));
    check(*options);
    const auto lock = begin(options->run);
    if (action == Action::plan) require_planned(options->gevp.baseline);
    const bool single = options->run.precision == "single";
    if (action == Action::plan)
      single ? plan<float>(*options) : plan<double>(*options);
    else
      single ? run<float>(*options) : run<double>(*options);
  });
}

}  // namespace landfall::app
