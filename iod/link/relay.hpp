// A way to another machine: what the ranks of this one send goes to an agent there, behind a command such as ssh, and its
// answers come back. A relay knows no message but those that open and leave it: it gives each request a number of its own, by
// which it finds who asked, so that relays may follow each other.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>

#include "iod/link/command.hpp"
#include "iod/link/service.hpp"

namespace kumihimo::iod::process {

class Relay : public Service, public std::enable_shared_from_this<Relay> {
public:
    Relay(Host& host, std::uint32_t number, Route route, std::shared_ptr<Connection> opener);

    void begin(const FrameHeader& request) override;
    void arrived(Connection& connection, Arrival&& arrival) override;
    void ended(Connection& connection, const Status& why) override;
    bool add_child(const std::shared_ptr<Connection>& client) override;
    bool work() override;
    bool over() const override { return ready_ && clients_.empty() && missing_ == 0; }
    void end() override;

private:
    // Of what waits for the way out more would only be memory: whoever sends waits then.
    static constexpr std::size_t most_queued = 16 << 20;
    // Of answers that a rank does not take: it asks for less at a time.
    static constexpr std::size_t most_unread = 256 << 20;

    struct Asked {
        std::weak_ptr<Connection> by;
        std::uint64_t request;
    };
    void reached(const std::shared_ptr<Connection>& other, const Status& status);
    void answer_opening(const Status& status);
    void from_client(Connection& client, Arrival&& arrival);
    void from_other(Arrival&& arrival);
    void remove(Connection& client);
    void lose(const Status& why);
    Status explained(const Status& why) const;

    Host& host_;
    std::uint32_t number_;
    Route route_;
    std::unique_ptr<link::Command> command_;
    std::shared_ptr<Connection> opener_, other_;  // other: the agent of the other machine
    FrameHeader opening_;
    std::set<std::shared_ptr<Connection>> clients_;
    std::map<std::uint64_t, Asked> under_way_;
    std::uint64_t last_request_ = 0;
    std::uint32_t missing_ = 0;  // ranks that have not come yet
    bool ready_ = false;         // the other side was reached, or cannot be
    Status lost_;
};

}  // namespace kumihimo::iod::process
