// One open file at this host: its ranks, and a lane for each server.
#pragma once

#include <memory>
#include <optional>

#include "iod/catwalk/lane.hpp"
#include "iod/catwalk/pace.hpp"
#include "iod/catwalk/rank_port.hpp"
#include "iod/link/alarm.hpp"
#include "iod/link/service.hpp"

namespace kumihimo::iod::process {

class Session : public Service, public std::enable_shared_from_this<Session> {
public:
    Session(Host& host, std::uint32_t number, const Open& open, std::shared_ptr<Connection> opener);

    void begin(const FrameHeader& request) override;  // answers `open`
    void arrived(Connection& connection, Arrival&& arrival) override;
    void ended(Connection& connection, const Status& why) override;
    bool add_child(const std::shared_ptr<Connection>& child) override;  // false: none is expected

    bool work() override;   // moves what can be moved; whether anything did
    bool sleep() override;  // before the loop waits; false: something came meanwhile
    void wake() override;
    bool over() const override;  // all have left, or nobody is there any more
    void end() override;         // once, when it is over

    std::uint32_t number() const { return number_; }

private:
    struct AllDrain {  // of all ranks here, at all servers
        Drain drain;
        using Target = std::pair<RankPort*, std::uint64_t>;
        std::vector<Target> targets;  // what each ring must be consumed to, of those who asked
        std::vector<Answered> waiting;
        std::size_t lanes_left = 0;
        std::vector<Reply> replies;  // of each lane
        Reply all;
        bool passed = false;
    };

    void answer_open(const FrameHeader& request, const Status& status);
    void attach(Connection& connection, const Arrival& arrival);
    std::unique_ptr<JournalFile> make_journal(std::uint32_t server);
    std::unique_ptr<Lane> make_lane(std::uint32_t server, bool root);
    void attach_lane(std::uint32_t server, const Parent& parent);
    void attached(const Status& status);
    void join(Connection& connection, Arrival&& arrival);
    void from_rank(Connection& connection, Arrival&& arrival);
    bool serve(RankPort& port);
    bool serve_one(RankPort& port, const Arrival& arrival);
    void leave(RankPort& port);
    void drain(RankPort& port, const Drain& drain, Answered answered);
    bool work_on_drain();
    void lane_drained(std::size_t lane, Reply&& reply);
    void settle();
    void finish_drain();
    void answer_drain(const Reply& reply);
    void send_counters(Connection& connection, const FrameHeader& request);
    bool empty_rings();
    bool waited_for(const RankPort& port) const;
    bool is_asked_for(const RankPort& port) const;
    std::uint64_t limit_of_ranks();
    std::size_t put(Offset offset, std::span<const std::byte> data);
    Lane& lane_of(std::uint32_t server);
    RankPort* port_of(const Connection& connection);
    void remove(const RankPort& port);
    void fail(const Status& why);
    void lost(Connection& connection, const Status& why);
    void guarded(const std::function<void()>& step);
    void give_up(const Status& why);
    void cut();
    void leave_parents();
    LaneOptions lane_options(std::uint32_t server, bool root) const;
    std::unique_ptr<Server> make_server(std::uint32_t server, OpenMode mode);
    std::string here() const;

    Host& host_;
    std::uint32_t number_;
    Open open_;
    std::shared_ptr<Connection> opener_;
    std::vector<std::uint32_t> children_missing_;  // for each server, how many have not connected yet
    std::vector<std::shared_ptr<Connection>> early_children_;
    std::unique_ptr<Server> first_server_;  // of server 0, between open and attach
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<std::unique_ptr<RankPort>> ports_;
    std::uint32_t left_ = 0, refused_ = 0;  // ranks
    std::optional<FrameHeader> attaching_;
    std::size_t attaching_left_ = 0;
    Status attach_status_, failed_, broken_;  // broken: told by a journal, to be told to all
    double ring_seconds_ = 0;                 // of moving records from the rings
    std::optional<AllDrain> drain_;
    Pace pace_;
    Alarm pace_alarm_;  // nothing else may wake the loop when the ranks have waited for long enough
    std::vector<std::pair<std::shared_ptr<Connection>, Arrival>> early_joins_;  // before the file was attached
    bool is_opened_ = false, is_attached_ = false, abandoned_ = false, opener_gone_ = false;
};

}  // namespace kumihimo::iod::process
