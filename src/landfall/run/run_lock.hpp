// One run at a time in a run folder. The lock is on the folder itself and ends with the process, however that ends.
//
//   const landfall::RunLock lock("run", landfall::Existing::refuse);    // UsageError: another run is writing into it
//   landfall::write_text(landfall::summary_in("run"), "{}\n");
#pragma once

#include <landfall/run/run_folder.hpp>

#include <filesystem>
#include <vector>

namespace landfall {

class RunLock {
 public:
  /// Creates the folder if it is missing. UsageError: another run has it, or it may not be used that way; DataError: it
  /// cannot be created. On a file system without locks there is none.
  RunLock(const std::filesystem::path& path, Existing existing);
  RunLock(RunLock&& other) noexcept;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  /// Folders that this object created and that are still empty are removed.
  ~RunLock();

 private:
  void create(const std::filesystem::path& path);
  bool try_lock(const std::filesystem::path& path);
  void release();

  int descriptor_ = -1;
  std::vector<std::filesystem::path> created_;  // outermost first
};

}  // namespace landfall
