// The problems the program solves: one table of their files, methods, measures, summary keys and report sections.
// A new model is a folder in src/landfall/models, a command file, and an entry here and in commands/problem_commands.cpp.
//
//   const ProblemEntry& problem = find_problem("cca");
//   for (const ViewEntry& view : problem.views) use(folder / view.weights);
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace landfall::app {

/// A file on the command line.
struct FileEntry {
  const char* name;  // "LEFT"
  const char* text;  // of the help page
  bool optional = false;
};

/// One view of the data and its files in a run folder.
struct ViewEntry {
  std::string_view name;       // "left"; empty where there is one view
  std::string_view weights;    // file
  std::string_view mean = {};  // file; empty: there is none
  bool transposed = false;     // the file of weights has a row for each component
};

/// A number by which compare ranks runs.
struct Measure {
  std::string_view name;     // in the JSON of compare
  std::string_view heading;  // in its table
  std::string_view key;      // in the summary: a number, or numbers to add up
};

/// A number of the summary in the report.
struct FactEntry {
  std::string_view name, key;
  bool percent = false;
};

/// Numbers of the summary as bars in the report.
struct BarsEntry {
  std::string_view name, key;
  std::string_view name_beside = {};  // where there are other bars beside these; empty: the same
};

/// Which charts of scores a report has.
enum class ScoreCharts {
  none,
  views,    // the first component of one view against that of the other
  classes,  // the first component against the second, coloured by class
  traces,   // components over the rows
};

struct ProblemEntry {
  std::string_view name;

  std::vector<FileEntry> files;  // one for each view, unless they are matrices
  std::vector<ViewEntry> views;
  bool has_rows = true;      // false: the files are matrices
  bool has_classes = false;  // the run folder has centres.npy, the summary classes and priors

  // Methods, and what compare does with them
  std::string_view exact = {};         // the method that finds the optimum; empty: there is none
  bool baselines_take_hand = true;     // baselines take the options of landing by hand
  std::string_view effort = "passes";  // of a method, a key of the summary
  std::vector<Measure> measures =
      {};  // the first in the summary counts; empty: compare does not take the problem
  std::string_view held_out = {};  // key of the measure on held-out rows
  bool has_curve = false;          // runs take --curve
  bool has_folds = false;          // runs take --folds
  std::string_view compare_examples = {};

  // The report
  std::string_view title;                  // of a run
  std::string_view subject = {};           // of a comparison
  std::vector<FactEntry> facts;            // beside rows, columns, time and memory
  std::string_view bars_title, component;  // what there is a bar for
  std::vector<BarsEntry> bars;
  ScoreCharts scores = ScoreCharts::none;
  std::string_view scores_title = {};
  std::string_view weights_title = "Weights", weight = "weights", vector = {};  // of a chart of weights
  std::string_view features = "columns";
  std::string_view convergence = "After each step, estimated from its batch and those before.";
};

/// In the order of the help page.
std::span<const ProblemEntry> problems();

/// UsageError for an unknown name.
const ProblemEntry& find_problem(std::string_view name);

}  // namespace landfall::app
