// The hosts behind this one on the way to a server: what they send goes on as far as there is room, in the order of each
// connection, and answers find back.
#pragma once

#include <deque>
#include <memory>

#include "iod/catwalk/ask.hpp"
#include "iod/link/connection.hpp"

namespace kumihimo::iod::process {

// Where it goes on. Children are sources of records by number, in the order in which they came.
class Upstream {
public:
    virtual ~Upstream() = default;
    virtual bool put(int source, Offset offset, std::span<const std::byte> data) = 0;  // false: no room now
    virtual void lose(int source) = 0;                                                 // nothing more comes from it
    virtual void ask(Ask&& ask) = 0;
    virtual void drain(int source, const Drain& drain, Answered answered) = 0;
};

class Children {
public:
    Children(Upstream& upstream, std::size_t expected, std::size_t largest_record)
        : upstream_(upstream), expected_(expected), largest_record_(largest_record) {}

    void add(std::shared_ptr<Connection> child);
    void arrived(Connection& connection, Arrival&& arrival);  // throws ProtocolError
    // The other side is gone. False: it had left, all is well.
    bool lost(Connection& connection);
    bool all_left() const;
    bool work();  // takes what waited for room; whether anything. Throws ProtocolError

    void tell(const Status& failure);
    void finish_unless_stuck(std::chrono::seconds patience);
    void cut();
    std::uint64_t received_bytes() const { return received_bytes_; }

private:
    struct Child {
        int number;
        std::shared_ptr<Connection> connection;
        std::deque<Arrival> frames;                           // that wait for room; while there are any nothing more is read
        std::size_t record = 0, record_at = 0, bytes_at = 0;  // of the first frame: what was taken already
        bool left = false;
        std::shared_ptr<char> reads = std::make_shared<char>();      // held by each that is under way
        std::shared_ptr<char> questions = std::make_shared<char>();  // and by each question
        bool may_read() const;
    };

    Child* find(const Connection& connection);
    bool take(Child& child);
    bool take_records(Child& child, const Arrival& frame);
    bool take_question(Child& child, const Arrival& frame);
    static Answered answer_to(Child& child, const FrameHeader& header);

    Upstream& upstream_;
    std::size_t expected_, largest_record_;
    std::deque<Child> all_;
    std::uint64_t received_bytes_ = 0;
};

}  // namespace kumihimo::iod::process
