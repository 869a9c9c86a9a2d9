#include <landfall/data/io/checksum.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace landfall {

struct Checksum::State {
  XXH64_state_t hash;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {
  XXH64_reset(&state_->hash, 0);
}

Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH64_update(&state_->hash, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
  return XXH64_digest(&state_->hash);
}

}  // namespace landfall
