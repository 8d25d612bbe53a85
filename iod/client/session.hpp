// A file as one rank has it open at its agent: writes go into the ring, everything else is a request. Functions that return a
// Status never throw. Not for several threads at once.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "iod/client/agent.hpp"
#include "iod/client/bypass.hpp"
#include "iod/client/shared_ring.hpp"

namespace kumihimo::iod {

class Session {
public:
    // `number`: the agent's of the file. Throws ConnectionLost, or base::Error where there is no memory to share.
    Session(Link link, std::uint32_t number, std::uint32_t rank, std::size_t ring_bytes);

    // While the ring has room this is a copy: no allocation, no lock, no system call. False: status() says why; what was
    // already taken may be written or not.
    bool write(Offset offset, std::span<const std::byte> data) {
        if (bypass_ && bypass_->is_long(data.size())) return write_long(offset, data);
        return write_to_ring(offset, data);
    }
    // From now on long pieces may go past the I/O process: of a rank at the host of the file's only server.
    void let_by(std::unique_ptr<Bypass> bypass) { bypass_ = std::move(bypass); }
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
    Status counters(Counters& counters);                        // of this host's agent
    Counters own_counters() const;                              // of what this rank wrote past it
    // The end of it, for this rank. The way to the agent is left, if it is good for another file.
    std::optional<Link> leave();

private:
    bool write_to_ring(Offset offset, std::span<const std::byte> data) {
        RingProducer& producer = ring_->producer();
        if (bypass_) bypass_->held(offset, offset + static_cast<Offset>(data.size()));
        while (!data.empty()) {
            const std::size_t piece = std::min(data.size(), largest_piece_);
            std::byte* const place = producer.reserve(offset, piece);
            if (place == nullptr) {
                if (!wait_for_room(piece)) return false;
                continue;
            }
            std::memcpy(place, data.data(), piece);
            producer.commit();
            ring_->committed();
            offset += static_cast<Offset>(piece);
            data = data.subspan(piece);
        }
        return true;
    }
    bool write_long(Offset offset, std::span<const std::byte> data);
    bool permitted();
    void drained(Purpose purpose, Offset file_bytes);
    bool wait_for_room(std::size_t bytes);
    Status why_closed();
    std::uint64_t position() const { return ring_->producer().position(); }
    template <typename Do>
    Status guarded(Do&& ask);

    Link link_;
    std::uint32_t number_;
    std::unique_ptr<SharedRing> ring_;
    std::size_t largest_piece_;
    std::unique_ptr<Bypass> bypass_;
    Status failed_;
};

}  // namespace kumihimo::iod
