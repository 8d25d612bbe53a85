#include "iod/files/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kumihimo::iod {

struct RunningDigest::State {
    XXH3_state_t xxh;
};

RunningDigest::RunningDigest() : state_(std::make_unique<State>()) {
    XXH3_INITSTATE(&state_->xxh);
    XXH3_64bits_reset(&state_->xxh);
}
RunningDigest::~RunningDigest() = default;
RunningDigest::RunningDigest(RunningDigest&&) noexcept = default;
RunningDigest& RunningDigest::operator=(RunningDigest&&) noexcept = default;

void RunningDigest::add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::int64_t RunningDigest::value() const {
    return static_cast<std::int64_t>(XXH3_64bits_digest(&state_->xxh));
}

}  // namespace kumihimo::iod
