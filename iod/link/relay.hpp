// A way to another machine: what the ranks of this one send goes to an agent there, behind a command such as ssh, and its
// answers come back. A relay gives each request a number of its own, by which it finds who asked, and each open file a number,
// so that relays may follow each other. It keeps a request until it is answered: if the connection breaks, it makes another
// one, has the process at the end of the old one ended, opens the files again and sends what was not answered. Ranks notice
// nothing but the time. Where the route says so, the bytes go over a channel beside the command (iod/files/channels.hpp).
#pragma once

#include <asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <set>

#include "iod/link/command.hpp"
#include "iod/link/open_files.hpp"
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
    using Clock = std::chrono::steady_clock;
    // Of what waits for the way out more would only be memory: whoever sends waits then.
    static constexpr std::size_t most_queued = 16 << 20;
    // Of requests without an answer, and of answers that a rank does not take: it has less under way at a time.
    static constexpr std::size_t most_kept = 512 << 20, most_unread = 256 << 20;
    static constexpr std::chrono::seconds grace{5};                          // for an answer that says that there is none
    static constexpr std::uint64_t channel_budget = std::uint64_t{1} << 40;  // bytes; then another one is made
    static constexpr int most_attempts = 3;                                  // connections in a row that brought no answer
    static constexpr std::chrono::milliseconds first_pause{50}, longest_pause{2000};

    struct Asked {
        std::weak_ptr<Connection> by;
        FrameHeader header;  // as the rank sent it
        std::shared_ptr<const Payload> payload;
        bool again = false;  // it was sent before, on a connection that broke
    };
    void call();
    void reached(const std::shared_ptr<Connection>& other, const Status& status);
    void claim();
    void claim_next();
    void claimed(const Status& status);
    void ask_for_channel();
    void offered(const Channel& channel);
    void go_on();
    void answer_opening(const Status& status);
    bool crowded() const;
    void from_client(Connection& client, Arrival&& arrival);
    void from_other(Arrival&& arrival);
    void pass_on(std::uint64_t number, const Asked& asked);
    bool flows() const { return other_ && met_ && reopening_.empty(); }
    void forget_other();

    void broke(const Status& why);
    void begin_attempts();
    bool turned_away() const;
    void try_later();
    void try_again();
    void reopen();
    void reopen(std::uint32_t file, const FileOpen& open);
    bool follow(std::uint32_t file);
    void reopened(std::uint32_t file, const Payload& answer);
    void send_again();
    void remove(Connection& client);
    void lose(const Status& why);
    Status explained(const std::string& what, const Status& why) const;

    Host& host_;
    std::uint32_t number_;
    Route route_;
    std::unique_ptr<link::Command> command_;
    std::shared_ptr<Connection> opener_, other_;  // other: the agent of the other machine
    std::shared_ptr<Connection> asker_;           // the connection behind the command, where `other_` is a channel
    FrameHeader opening_;
    std::set<std::shared_ptr<Connection>> clients_;
    std::map<std::uint64_t, Asked> under_way_;
    std::size_t kept_ = 0;  // bytes of those
    std::uint64_t last_request_ = 0;
    link::OpenFiles files_;
    const Way way_;
    std::vector<Way> to_claim_;                         // on this connection, the last one first
    std::uint64_t claiming_ = 0;                        // the request that claims the way; 0: it is this connection's
    bool claims_ = false;                               // the other side knows of claims
    std::uint64_t channel_asked_ = 0;                   // the request for a channel; 0: none is under way
    bool met_ = false;                                  // all that goes before is done on this connection: requests may go
    std::map<std::uint64_t, std::uint32_t> reopening_;  // requests of the relay's own, and which file each opens again
    std::set<std::uint64_t> restoring_;                 // and those that set shared pointers
    int attempts_ = 0;
    Clock::time_point give_up_at_{};
    Clock::duration pause_{};
    asio::steady_timer timer_;
    std::uint32_t missing_ = 0;  // ranks that have not come yet
    bool sleeps_ = false;        // the connection broke, and nobody has asked for anything since
    bool ready_ = false;         // the other side was reached, or cannot be
    Status lost_;
};

}  // namespace kumihimo::iod::process
