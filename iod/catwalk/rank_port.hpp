// One rank of this host at one file: its ring, its events, and its requests that wait until the ring is consumed so far.
#pragma once

#include <algorithm>
#include <asio/posix/stream_descriptor.hpp>
#include <deque>
#include <memory>
#include <optional>

#include "base/shared_memory.hpp"
#include "iod/link/connection.hpp"
#include "iod/ring/ring.hpp"

namespace kumihimo::iod::process {

class RankPort {
public:
    // `join` with its three descriptors. Throws ProtocolError, base::Error or std::invalid_argument if they are not what they
    // should be.
    RankPort(asio::io_context& loop, std::uint32_t rank, std::shared_ptr<Connection> connection, Arrival&& join);

    std::uint32_t rank() const { return rank_; }
    Connection& connection() const { return *connection_; }

    // Moves records on, until so many bytes have come since the last drain; whether any moved. If nobody waits for them, only
    // many at a time. sink(offset, data) takes a beginning and says how much; 0: no room now. Throws std::invalid_argument: the
    // ring makes no sense.
    template <typename Sink>
    bool work(Sink&& sink, std::uint64_t limit, bool asked_for);
    std::uint64_t brought_bytes() const { return brought_; }
    void drained() { brought_ = 0; }
    std::uint64_t position() const { return consumer_.position(); }
    std::uint64_t written() const { return consumer_.written(); }
    bool reached(std::uint64_t position) const { return consumer_.position() >= position; }

    // Before the loop waits, false: something came meanwhile; and after it has waited.
    bool sleep(bool asked_for);
    void wake();
    void close();  // the rank shall stop writing

    // What a rank asked to read takes memory here until it took the answer: more of them wait.
    bool may_read() const { return reads_.use_count() <= most_reads && connection_->queued_bytes() < most_unsent_bytes; }
    std::shared_ptr<void> count_read() const { return reads_; }  // under way as long as it is held

    std::deque<Arrival> requests;

private:
    static constexpr std::size_t most_bytes_at_once = 1 << 20;  // of one rank before others get their turn
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
    RingConsumer::Record record_;  // under way, if has_record_. No std::optional: its copy waits for all stores before it
    bool has_record_ = false;
    std::size_t record_at_ = 0;
    std::shared_ptr<char> reads_ = std::make_shared<char>();
    bool stuck_ = false;         // no room for what is next, or it must wait for other ranks
    std::uint64_t brought_ = 0;  // bytes since the last drain
};

template <typename Sink>
bool RankPort::work(Sink&& sink, std::uint64_t limit, bool asked_for) {
    std::size_t moved = 0;
    if (!has_record_ && !asked_for && !consumer_.worth_while()) {
        stuck_ = false;
        return false;
    }
    stuck_ = brought_ >= limit;
    const std::size_t most = std::min<std::uint64_t>(most_bytes_at_once, stuck_ ? 0 : limit - brought_);
    while (moved < most && !stuck_) {
        if (!has_record_) {
            has_record_ = consumer_.peek(record_);
            record_at_ = 0;
        }
        if (!has_record_) break;
        while (record_at_ < record_.bytes.size() && !stuck_) {
            const std::size_t taken = sink(record_.offset + static_cast<Offset>(record_at_), record_.bytes.subspan(record_at_));
            stuck_ = taken == 0;
            record_at_ += taken;
            moved += taken;
        }
        if (stuck_) break;
        has_record_ = false;
        consumer_.consume();
    }
    brought_ += moved;
    if (consumer_.wake_rank()) ring_rank();
    return moved > 0;
}

}  // namespace kumihimo::iod::process
