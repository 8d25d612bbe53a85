// One connection of the agent: frames in, frames out, nothing blocks. What the frames mean is its user's business.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "iod/link/budget.hpp"
#include "iod/link/compression.hpp"
#include "iod/link/compressor.hpp"
#include "iod/protocol/frame.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod::process {

class Connection;

// Where bytes come from and go to: one socket, or two pipes as standard input and output are.
struct Ends {
    Ends(base::Descriptor socket) : in(std::move(socket)) {}
    Ends(base::Descriptor input, base::Descriptor output) : in(std::move(input)), out(std::move(output)) {}
    base::Descriptor in, out;  // no out: `in` is a socket
};

// A frame that came, with the descriptors that came along (join).
struct Arrival {
    FrameHeader header;
    Payload payload;
    std::vector<base::Descriptor> descriptors;
};

// Who uses connections. May close them, but `ended` is told only of those that the other side closed or broke.
class Peer {
public:
    virtual ~Peer() = default;
    virtual void arrived(Connection& connection, Arrival&& arrival) = 0;
    virtual void ended(Connection& connection, const Status& why) = 0;
};

// Who is at the other end, as far as is known.
struct Role {
    enum Kind { stranger, starter, called, rank, client, child, parent, channel } kind = stranger;
    bool bound() const { return kind == client || kind == child || kind == parent; }  // all it sends is for its session
    std::uint32_t session = 0;  // of client, child and parent, and the one that a rank's token was made for
    std::uint32_t server = 0;   // of child and parent
    std::uint64_t budget = 0;   // of a channel: bytes
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(asio::io_context& loop, Ends ends, Role role, Peer& peer);

    void begin();  // reading
    void pause() { paused_ = true; }
    void resume();

    void send(FrameHeader header, Payload head, Payload body = {});
    void send(FrameHeader header, std::shared_ptr<const Payload> body);  // which whoever sends it keeps, too
    void answer(const FrameHeader& request, Payload head, Payload body = {});
    void refuse(const Status& why);  // and closes
    std::size_t queued_bytes() const { return queued_bytes_; }
    // This side only answers: it reads nothing while more than so many bytes of answers are not taken.
    void only_answer(std::size_t most_bytes) {
        only_answers_ = true;
        most_queued_ = most_bytes;
    }

    void count_against(std::shared_ptr<Budget> budget) { budgets_.push_back(std::move(budget)); }  // beyond, it is refused

    void finish();  // closes when all is sent
    // Also if nothing of it can be sent for so long: a link that was cut takes nothing any more.
    void finish_unless_stuck(std::chrono::milliseconds patience);
    void close();
    bool is_open() const { return in_.is_open(); }
    // The other side knows compressed frames: they may come, and what waits here becomes some where that pays.
    void compress() { compressing_ = std::make_unique<Compressing>(); }
    void leads_away() { local_ = false; }  // the socket of a process that passes on to another machine

    Role role;
    std::string name = "an unknown process";        // for messages
    std::uint16_t version = 0;                      // that both speak, once it has greeted
    bool greeted = false;                           // until then it is a stranger, or waits for its welcome
    std::uint32_t largest_payload = largest_hello;  // that is taken

private:
    struct Outgoing {
        FrameHeader says;
        Payload head;
        std::shared_ptr<const Payload> body;
        std::optional<HeaderBytes> header = {};  // once it is time to send it
        std::size_t sent = 0;
        bool as_short_as_it_gets = false;
        std::size_t bytes() const { return header_bytes + head.size() + body->size(); }
    };

    struct Compressing {
        Compressor compressor;
        Compression choice;
    };

    asio::posix::stream_descriptor& out() { return pipes_ ? out_ : in_; }
    void send(FrameHeader header, Payload head, std::shared_ptr<const Payload> body);
    bool may_become_shorter(const Outgoing& out) const;
    void shorten_next();
    void shorten(Outgoing& out);
    void wait_to_read();
    void watch_end();
    void read_some();
    ssize_t read_into(std::span<std::byte> place);
    ssize_t write_from(std::span<iovec> pieces);
    bool read_once();  // false: nothing there now
    bool may_read() const { return is_open() && !paused_ && queued_bytes_ <= most_queued_; }
    std::span<std::byte> wanted();
    void deliver();
    void collect_descriptors(const msghdr& message);
    void write_some();
    void wait_to_write();
    void drop_sent(std::size_t bytes);
    void drop_all();
    void carried(std::size_t bytes) {
        for (const auto& budget : budgets_) budget->carried += bytes;
    }
    void give_up(const std::exception& error);
    void lose(const Status& why);

    asio::posix::stream_descriptor in_, out_;
    Peer& peer_;
    bool pipes_, local_ = true, paused_ = false, reading_ = false, writing_ = false, finishing_ = false, deaf_ = false;
    std::unique_ptr<Compressing> compressing_;  // none: no frame is compressed
    bool only_answers_ = false, watching_ = false;

    HeaderBytes header_{};
    std::size_t header_got_ = 0, payload_got_ = 0;
    Arrival incoming_;

    std::deque<Outgoing> outgoing_;
    std::vector<std::shared_ptr<Budget>> budgets_;
    std::size_t queued_bytes_ = 0, most_queued_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace kumihimo::iod::process
