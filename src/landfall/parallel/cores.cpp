#include <landfall/parallel/cores.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace landfall {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// Processors of a quota of microseconds per period, as text: "max" or -1 is none.
int cores_of(const std::string& quota, const std::string& period) {
  std::istringstream in(quota + ' ' + period);
  double allowed = 0, whole = 0;
  if (!(in >> allowed >> whole) || !(allowed > 0) || !(whole > 0)) return kNoLimit;
  return std::max(1, static_cast<int>(std::ceil(std::min(allowed / whole, 1e6))));
}

std::string word_of(const std::filesystem::path& file, int index) {
  std::ifstream in(file);
  std::string word;
  for (int i = 0; i <= index; ++i)
    if (!(in >> word)) return "";
  return word;
}

/// The least quota of a group and those around it: cpu.max (version 2) or cpu.cfs_* (version 1).
int least_quota(const std::filesystem::path& root, std::filesystem::path group) {
  int least = kNoLimit;
  for (;; group = group.parent_path()) {
    const auto folder = root / group.relative_path();
    least = std::min(
        {least, cores_of(word_of(folder / "cpu.max", 0), word_of(folder / "cpu.max", 1)),
         cores_of(word_of(folder / "cpu.cfs_quota_us", 0), word_of(folder / "cpu.cfs_period_us", 0))});
    if (!group.has_relative_path()) return least;
  }
}

}  // namespace

int cgroup_cores(std::string_view groups, const std::filesystem::path& root) {
  int least = kNoLimit;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {  // number:controllers:path
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_quota(root, path));
    if (controllers.find(",cpu,") == std::string::npos) continue;
    for (const char* mount : {"cpu", "cpu,cpuacct"}) least = std::min(least, least_quota(root / mount, path));
  }
  return least;
}

int available_cores() {
  int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#ifdef __linux__
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cores = std::max(1, CPU_COUNT(&allowed));
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  cores = std::min(cores, cgroup_cores(groups, "/sys/fs/cgroup"));
#endif
  return cores;
}

}  // namespace landfall
