// A text on standard input for as long as this lives.
#pragma once

#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

namespace landfall::test {

class StandardInput {
 public:
  explicit StandardInput(std::string text) : before_(dup(STDIN_FILENO)) {
    int ends[2];
    if (before_ < 0 || pipe(ends) != 0) throw std::runtime_error("no pipe");
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    // A pipe holds 64 KiB: a longer text waits for its reader.
    writer_ = std::jthread([text = std::move(text), out = ends[1]] {
      for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = write(out, text.data() + done, text.size() - done);
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
      }
      close(out);
    });
  }
  /// The text must have been read to its end.
  ~StandardInput() {
    writer_.join();
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
  std::jthread writer_;
};

}  // namespace landfall::test
