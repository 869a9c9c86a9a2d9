// A state on the disk: whole, checked, and of a known format.
//
//   landfall::write_checkpoint("run/checkpoint", {.options = "{\"seed\": 0}", .state = file});
//   const auto back = landfall::read_checkpoint("run/checkpoint");    // DataError: damaged, or too new
//   use(back.options, back.state);
//
// The file: "landfall checkpoint 1\n", the sizes of options and state (64 bits each), their bytes, and the
// checksum of all that. A new one takes the place of the old when all of it is on the disk, not before.
#pragma once

#include <filesystem>
#include <string>

namespace landfall {

struct StoredCheckpoint {
  std::string options;  // the caller's text: what the run was asked for
  std::string state;    // Checkpoints::save's
};

void write_checkpoint(const std::filesystem::path& path, const StoredCheckpoint& checkpoint);

StoredCheckpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace landfall
