// A folder of its own for each test, gone when the test is, and the text of the errors that the readers
// throw.
#pragma once

#include <landfall/errors.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace landfall::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "landfall-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::filesystem::remove(path_ / name);  // a new file is not waited for on the disk, one cut short is
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

  /// The names in the folder, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What the DataError says that the action throws, without the path of the file it must begin with.
inline std::string data_error(const std::filesystem::path& path, const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    const std::string text = error.what(), start = path.string() + ": ";
    EXPECT_EQ(text.substr(0, start.size()), start);
    return text.substr(std::min(start.size(), text.size()));
  }
  return "no error";
}

}  // namespace landfall::test
