// A file as one rank has it open at its agent: writes go into the ring, everything else is a request. Functions that return a
// Status never throw. Not for several threads at once.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "iod/client/agent.hpp"
#include "iod/client/shared_ring.hpp"

namespace kumihimo::iod {

class Session {
public:
    // `number`: the agent's of the file. Throws ConnectionLost, or base::Error where there is no memory to share.
    Session(Link link, std::uint32_t number, std::uint32_t rank, std::size_t ring_bytes);

    // Writes `bytes` bytes to the file from `offset` on. fill(place, first, count) puts bytes [first, first + count) there.
    // While the ring has room this is a copy: no allocation, no lock, no system call. False: status() says why; what was
    // already taken may be written or not.
    template <typename Fill>
    bool write(Offset offset, std::size_t bytes, Fill&& fill) {
        RingProducer& producer = ring_->producer();
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t piece = std::min(bytes - done, largest_piece_);
            std::byte* const place = producer.reserve(offset + static_cast<Offset>(done), piece);
            if (place == nullptr) {
                if (!wait_for_room(piece)) return false;
                continue;
            }
            fill(place, done, piece);
            producer.commit();
            ring_->committed();
            done += piece;
        }
        return true;
    }
    const Status& status() const { return failed_; }

    // Each behind all writes of this rank so far.
    Status drain(std::uint64_t epoch, Purpose purpose, Offset& file_bytes);  // waits for all ranks of the file
    Status call(std::uint32_t server, Function function, std::int64_t value, std::int64_t& result);
    // Several reads may be under way; each is asked for once and taken once.
    struct Reading {
        std::uint64_t request = 0;
        std::span<std::byte> to;
    };
    Status begin_read(std::uint32_t server, Offset offset, std::span<std::byte> to, bool fresh, Reading& reading);
    Status end_read(const Reading& reading, std::size_t& got);  // fewer bytes: the file ended
    Status counters(Counters& counters);
    // The end of it, for this rank. The way to the agent is left, if it is good for another file.
    std::optional<Link> leave();

private:
    bool wait_for_room(std::size_t bytes);
    Status why_closed();
    std::uint64_t position() const { return ring_->producer().position(); }
    template <typename Do>
    Status guarded(Do&& ask);

    Link link_;
    std::uint32_t number_;
    std::unique_ptr<SharedRing> ring_;
    std::size_t largest_piece_;
    Status failed_;
};

}  // namespace kumihimo::iod
