#include "terminal/progress.hpp"

#include <landfall/models/fit/plan.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr double kLivePause = 0.2, kPlainPause = 5;  // seconds
constexpr std::string_view kBetween = "  ";

std::string left_text(double seconds) {
  return (seconds < 10 ? fmt::format("{:.0f} s", seconds) : time_text(seconds)) + " left";
}

}  // namespace

std::string fitted(const Parts& parts, std::size_t columns) {
  std::string line;
  for (const auto& part : parts) {
    const std::size_t size = line.size() + (line.empty() ? 0 : kBetween.size()) + part.size();
    if (size > columns && !line.empty()) break;
    if (!line.empty()) line += kBetween;
    line += part;
  }
  return line.substr(0, columns);
}

std::string count_text(double count) {
  for (const auto& [size, letter] : {std::pair{1e9, 'G'}, std::pair{1e6, 'M'}, std::pair{1e3, 'k'}})
    if (count >= 0.9995 * size)
      return fmt::format("{:.{}f}{}", count / size, count < 99.95 * size ? 1 : 0, letter);
  return fmt::format("{:.{}f}", count, count < 9.995 ? 2 : 0);
}

ProgressLine::ProgressLine(Screen screen, bool wanted)
    : screen_(std::move(screen)), wanted_(wanted), next_(screen_.now()), stepped_(next_) {
  if (!screen_.terminal) next_ += kPlainPause;
}

void ProgressLine::put(const Parts& parts) {
  next_ = screen_.now() + (screen_.terminal ? kLivePause : kPlainPause);
  if (!screen_.terminal) {
    screen_.write(fitted(parts, std::string::npos) + "\n");
    return;
  }
  // One column stays free: a full line would make some terminals begin another.
  const std::string line = fitted(parts, static_cast<std::size_t>(std::max(screen_.width() - 1, 1)));
  const std::size_t head = std::min(parts.front().size(), line.size());
  screen_.write("\r\033[K" + screen_.painted(line.substr(0, head), Paint::strong) + line.substr(head));
  shown_ = true;
}

void ProgressLine::say(std::string_view text) {
  if (!wanted_) return;
  const std::lock_guard lock(mutex_);
  clear();
  screen_.write(fmt::format("{}\n", text));
}

void ProgressLine::clear() {
  if (shown_) screen_.write("\r\033[K");
  shown_ = false;
}

Parts landing_parts(const Progress& progress, const PlannedRun& run, std::uint64_t memory) {
  Parts parts{run.passes > 0 ? fmt::format("pass {:.2f}/{:g}", progress.passes, run.passes)
                             : fmt::format("pass {:.2f}", progress.passes)};
  if (progress.seconds > 0 && progress.passes > 0) {
    const double rate = progress.passes / progress.seconds;
    parts.push_back(run.rows ? count_text(rate * static_cast<double>(*run.rows)) + " rows/s"
                             : count_text(rate) + " passes/s");
    if (run.passes > 0) parts.push_back(left_text(std::max(run.passes - progress.passes, 0.0) / rate));
  }
  parts.push_back(fmt::format("f {:.5f}", progress.objective));
  if (progress.gap >= 0) parts.push_back(fmt::format("gap {:.1e}", progress.gap));
  parts.push_back(fmt::format("infeasible {:.1e}", progress.infeasibility));
  parts.push_back(fmt::format("step {:.2g}", progress.step));
  parts.push_back(memory_text(memory));
  return parts;
}

std::function<bool(const Progress&)> show_progress(ProgressLine& line, const PlannedRun& run) {
  return [&line, run, back_offs = 0](const Progress& progress) mutable {
    if (run.verbose && progress.back_offs > back_offs)
      line.say(fmt::format("pass {:.2f}: the trust region cut too many steps; halving the step to {:.3g}",
                           progress.passes, progress.step));
    back_offs = progress.back_offs;
    line.show([&] { return landing_parts(progress, run, peak_memory()); });
    return true;
  };
}

}  // namespace landfall::app
