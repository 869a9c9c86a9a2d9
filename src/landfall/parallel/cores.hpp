// How many processors this process may use.
//
//   landfall::set_threads(landfall::available_cores());    // declared in parallel/threads.hpp
//   #include <landfall/parallel/threads.hpp>
#pragma once

#include <filesystem>
#include <string_view>

namespace landfall {

/// The processors that its affinity allows (taskset), or the quota of its control groups (containers, systemd) where that
/// is less. At least 1.
int available_cores();

/// The quota alone, rounded up; a large number where there is none. `groups` is the text of /proc/self/cgroup, `root` where
/// the groups are mounted, /sys/fs/cgroup.
int cgroup_cores(std::string_view groups, const std::filesystem::path& root);

}  // namespace landfall
