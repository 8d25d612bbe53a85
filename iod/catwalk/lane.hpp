// One server's stream at this host: records of the ranks here and of the hosts behind come in, sorted ones go out
// (outlet.hpp); questions go the same way, behind the records that they may touch
// (docs/explanation/wire-protocol.md, "Order"). Answers find their way back through closures.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/journal_file.hpp"
#include "iod/catwalk/outlet.hpp"
#include "iod/catwalk/stager.hpp"
#include "iod/link/connection.hpp"
#include "iod/records/stage.hpp"

namespace kumihimo::iod::process {

struct LaneOptions {
    std::uint32_t server = 0;
    StageOptions stage;
    StagerOptions staging;  // of what ranks read; no capacity: nothing is kept
};

class Lane {
public:
    Lane(const LaneOptions& options, std::unique_ptr<JournalFile> journal);  // none: the method needs none

    // ---- the way out: one of them, before anything comes in ----
    void set_server(std::unique_ptr<Server> server) { outlet_.lead_to(std::move(server)); }
    void set_parent(std::shared_ptr<Connection> parent, std::uint32_t session) { outlet_.lead_to(std::move(parent), session); }
    void stage_what_is_far();  // once the way is open
    Server* server() const { return outlet_.server(); }
    void leave_parent() { outlet_.leave(); }
    void leave_all();  // the file is over here: who still waits for an answer learns it by the end of the connection

    // ---- from the ranks here ----
    bool put(Offset offset, std::span<const std::byte> data);  // false: no room now
    void ask(Ask&& ask);
    void drain(const Drain& drain, Answered answered);

    // ---- from connections ----
    void add_child(std::shared_ptr<Connection> child);
    void from_child(Connection& child, Arrival&& arrival);  // throws ProtocolError
    void from_parent(Arrival&& arrival) { outlet_.answered(std::move(arrival)); }
    // The other side is gone. False: it had left, all is well.
    bool lost_child(Connection& child);
    bool children_left() const;

    bool work();                   // moves what can be moved; whether anything did. Throws ProtocolError
    void fail(const Status& why);  // everybody who waits is told; from now on everything is dropped
    void tell_neighbours(const Status& failure);
    void cut();  // the connections with other agents, without a word

    void count(Counters& counters) const;
    Offset highest_end() const { return stage_.highest_end(); }
    bool crowded() const { return stage_.crowded(); }
    std::uint64_t arrived_bytes() const { return stage_.arrived_bytes(); }
    std::uint64_t left_bytes() const { return stage_.left_bytes(); }

private:
    struct Child {
        std::shared_ptr<Connection> connection;
        std::deque<Arrival> frames;                           // that wait for room; while there are any nothing more is read
        std::size_t record = 0, record_at = 0, bytes_at = 0;  // of the first frame: what was taken already
        bool left = false;
        std::shared_ptr<char> reads = std::make_shared<char>();      // held by each that is under way
        std::shared_ptr<char> questions = std::make_shared<char>();  // and by each question
        bool may_read() const;
    };
    struct Passing {  // a question that leaves behind the records in [begin, end)
        Ask ask;
        Offset begin, end;
    };
    struct Draining {
        Drain drain;
        std::vector<Answered> waiting;
    };

    bool send_one();
    bool send_all();
    void pass(Ask&& ask, Offset begin, Offset end);
    void begin_drain(int source, const Drain& drain, Answered&& answered);
    void pass_drain(std::uint64_t epoch);
    bool take(int number, Child& child);
    bool take_records(int number, Child& child, const Arrival& frame);
    bool take_question(int number, Child& child, const Arrival& frame);
    Answered to_child(Child& child, const FrameHeader& header);
    bool put(int source, Offset offset, std::span<const std::byte> data);

    LaneOptions options_;
    std::unique_ptr<JournalFile> journal_;
    Stage stage_;
    std::unique_ptr<Stager> stager_;
    Outlet outlet_;
    std::deque<Child> children_;
    std::deque<Passing> passing_;
    std::uint64_t last_epoch_ = 0;
    std::map<std::uint64_t, Draining> drains_;
    Status failed_;
    std::uint64_t received_bytes_ = 0, full_ = 0;
    double sort_seconds_ = 0;
};

}  // namespace kumihimo::iod::process
