#include "iod/client/shared_ring.hpp"

#include <bit>

#include "base/error.hpp"

namespace kumihimo::iod {

namespace {

base::SharedFile create(std::size_t bytes) {
    try {
        return base::SharedFile::create(base::SharingMethod::memfd, bytes);
    } catch (const base::Error&) {  // a sandbox without anonymous files
        base::SharedFile file = base::SharedFile::create(base::SharingMethod::posix, bytes);
        base::reserve(file.ticket(), 0, bytes);
        return file;
    }
}

// A smaller one where this process may have no more (RLIMIT_FSIZE counts here, too).
base::SharedFile create_ring(std::size_t capacity) {
    for (;; capacity /= 2) {
        try {
            return create(RingProducer::memory_bytes(capacity));
        } catch (const base::Error&) {
            if (capacity / 2 < RingProducer::smallest_capacity) throw;
        }
    }
}

}  // namespace

SharedRing::SharedRing(std::size_t capacity)
    : file_(create_ring(std::bit_ceil(capacity))), memory_(file_.map()), producer_({memory_.data(), memory_.bytes()}) {}

std::array<int, 3> SharedRing::descriptors() const {
    return {file_.ticket().descriptor, agent_event_.get(), rank_event_.get()};
}

bool SharedRing::must_wait(std::size_t bytes) {
    silence_bell(rank_event_);
    if (!producer_.wait_for_room(bytes)) return false;
    if (producer_.wake_agent()) ring_bell(agent_event_);
    return true;
}

}  // namespace kumihimo::iod
