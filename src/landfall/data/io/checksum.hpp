// A checksum: xxHash, 64 bits. Not cryptographic.
//
//   landfall::Checksum sum;
//   sum.add("left.npy");
//   sum.add(std::as_bytes(std::span(rows)));
//   use(sum.value());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace landfall {

class Checksum {
 public:
  Checksum();
  ~Checksum();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace landfall
