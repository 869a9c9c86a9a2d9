// The JSON of a run folder: summary.json, report.json and comparison.json, one after the other with a zero byte between. The
// folder has good weights, means and histories for every problem, so that only its JSON can be wrong.
#include <landfall/data/formats/npy.hpp>
#include <landfall/run/run_folder.hpp>

#include <fstream>
#include <string_view>

#include "problems/problems.hpp"
#include "read_input.hpp"
#include "report/comparison_report.hpp"
#include "report/figure_svg.hpp"
#include "report/report_data.hpp"
#include "runs/fitted_run.hpp"

namespace {

using namespace landfall;
namespace fs = std::filesystem;

fs::path prepared_folder() {
  std::string name = fs::temp_directory_path() / "landfall-fuzz-XXXXXX";
  fuzz::require(mkdtemp(name.data()) != nullptr);
  const Matrix<double> matrix = Matrix<double>::Identity(3, 2);
  for (const app::ProblemEntry& problem : app::problems())
    for (const app::ViewEntry& view : problem.views) {
      write_npy<double>(fs::path(name) / view.weights,
                        view.transposed ? Matrix<double>(matrix.transpose()) : matrix);
      write_npy<double>(fs::path(name) / app::loadings_file(view), matrix);
      if (!view.mean.empty()) write_npy<double>(fs::path(name) / view.mean, Matrix<double>::Zero(3, 1));
    }
  write_text(fs::path(name) / "history.csv", "seconds,pass,value\n0.1,1,0.5\n0.2,2,0.6\n");
  return name;
}

void show(const app::Json& page) {
  for (const auto& section : page.at("sections"))
    if (section.contains("charts"))
      for (const auto& chart : section.at("charts")) app::figure_svg(chart);
  app::json_text(page);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  struct Folder {
    fs::path path = prepared_folder();
    ~Folder() { fs::remove_all(path); }
  };
  static const Folder folder;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"summary.json", app::kReportRows, app::kComparison}) {
    const std::string_view text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    fs::remove(folder.path / name);
    if (!text.empty()) std::ofstream(folder.path / name) << text;
  }
  fuzz::read_or_refuse([&] {
    const app::FittedRun run = app::read_run(folder.path);
    for (std::size_t view = 0; view < run.problem->views.size(); ++view)
      run.precision == "single" ? void(app::read_view<float>(run, view))
                                : void(app::read_view<double>(run, view));
  });
  fuzz::read_or_refuse([&] {
    try {
      show(app::is_comparison(folder.path) ? app::comparison_json(folder.path)
                                           : app::report_json(app::read_report(folder.path)));
    } catch (const app::Json::exception&) {  // what write_report() makes a sentence of
    }
  });
  return 0;
}
