// One rank of this node at one file: its ring, its events, and its requests that wait until the ring is consumed so far.
#pragma once

#include <asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/shared_memory.hpp"
#include "iod/process/connection.hpp"
#include "iod/ring/ring.hpp"

namespace kumihimo::iod::process {

class RankPort {
public:
    // A place for the bytes of records. Takes a beginning and says how much; 0: no room now.
    using Sink = std::function<std::size_t(Offset offset, std::span<const std::byte> data)>;

    // `join` with its three descriptors. Throws ProtocolError, base::Error or std::invalid_argument if they are not what they
    // should be.
    RankPort(asio::io_context& loop, std::uint32_t rank, std::shared_ptr<Connection> connection, Arrival&& join);

    std::uint32_t rank() const { return rank_; }
    Connection& connection() const { return *connection_; }

    // Moves records on, until so many bytes have come since the last drain; whether any moved. Throws std::invalid_argument:
    // the ring makes no sense.
    bool work(const Sink& sink, std::uint64_t limit);
    std::uint64_t brought_bytes() const { return brought_; }
    void drained() { brought_ = 0; }
    std::uint64_t position() const { return consumer_.position(); }
    std::uint64_t written() const { return consumer_.written(); }
    bool reached(std::uint64_t position) const { return consumer_.position() >= position; }

    // Before the loop waits, false: something came meanwhile; and after it has waited.
    bool sleep();
    void wake();
    void close();  // the rank shall stop writing

    // What a rank asked to read takes memory here until it took the answer: more of them wait.
    bool may_read() const { return reads_.use_count() <= most_reads && connection_->queued_bytes() < most_unsent_bytes; }
    std::shared_ptr<void> count_read() const { return reads_; }  // under way as long as it is held

    std::deque<Arrival> requests;

private:
    static constexpr long most_reads = 2;
    static constexpr std::size_t most_unsent_bytes = 1 << 20;

    void watch();
    void ring_rank();

    std::uint32_t rank_;
    std::shared_ptr<Connection> connection_;
    base::Mapping memory_;
    RingConsumer consumer_;
    base::Descriptor rank_event_;
    std::shared_ptr<asio::posix::stream_descriptor> agent_event_;
    std::optional<RingConsumer::Record> record_;  // under way
    std::size_t record_at_ = 0;
    std::shared_ptr<char> reads_ = std::make_shared<char>();
    bool stuck_ = false;         // no room for what is next, or it must wait for other ranks
    std::uint64_t brought_ = 0;  // bytes since the last drain
};

}  // namespace kumihimo::iod::process
