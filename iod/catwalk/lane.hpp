// One server's stream at this host: records of the ranks here and of the hosts behind (children.hpp) come in, sorted ones go
// out (outlet.hpp); questions go the same way, behind the records that they may touch (docs/explanation/wire-protocol.md,
// "Order"). Answers find their way back through closures.
#pragma once

#include <deque>
#include <memory>

#include "iod/catwalk/children.hpp"
#include "iod/catwalk/drains.hpp"
#include "iod/catwalk/journal_file.hpp"
#include "iod/catwalk/outlet.hpp"
#include "iod/catwalk/stager.hpp"
#include "iod/records/stage.hpp"

namespace kumihimo::iod::process {

struct LaneOptions {
    std::uint32_t server = 0;
    StageOptions stage;
    StagerOptions staging;  // of what ranks read; no capacity: nothing is kept
};

class Lane : private Upstream {
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
    bool put(Offset offset, std::span<const std::byte> data) { return put(Stage::ranks_here, offset, data); }  // false: no room
    void ask(Ask&& ask) override;
    void drain(const Drain& drain, Answered answered) { this->drain(Stage::ranks_here, drain, std::move(answered)); }

    // ---- from connections ----
    Children& children() { return children_; }
    void from_parent(Arrival&& arrival) { outlet_.answered(std::move(arrival)); }

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
    struct Passing {  // a question that leaves behind the records in [begin, end)
        Ask ask;
        Offset begin, end;
    };

    // ---- Upstream ----
    bool put(int source, Offset offset, std::span<const std::byte> data) override;
    void lose(int source) override { stage_.lose(source); }
    void drain(int source, const Drain& drain, Answered answered) override;

    bool send_one();
    bool send_all();
    void pass(Ask&& ask, Offset begin, Offset end);
    void pass_drain(std::uint64_t epoch);

    LaneOptions options_;
    std::unique_ptr<JournalFile> journal_;
    Stage stage_;
    std::unique_ptr<Stager> stager_;
    Outlet outlet_;
    Children children_;
    std::deque<Passing> passing_;
    Drains drains_;
    Status failed_;
    std::uint64_t full_ = 0;
    double sort_seconds_ = 0;
};

}  // namespace kumihimo::iod::process
