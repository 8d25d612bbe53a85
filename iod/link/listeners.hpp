// Where others reach this agent: a Unix socket without a name in any directory for the ranks of this machine, TCP for other
// agents. And the way to those.
#pragma once

#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "iod/protocol/status.hpp"

namespace kumihimo::iod::process {

class Listeners {
public:
    using Accepted = std::function<void(base::Descriptor)>;

    // The Unix socket is there at once. `make_room`: there are no descriptors left; whether it gave one back. Throws
    // std::system_error.
    Listeners(asio::io_context& loop, Accepted accepted, std::function<bool()> make_room);

    const std::string& local_address() const { return local_address_; }
    // Listens on TCP if it did not yet: on the loopback, else on the addresses by which these machines are reached, else on all
    // that this machine has. Addresses as "10.0.0.1:4000" or "[fd00::1]:4000", best first. Throws std::system_error.
    std::vector<std::string> addresses(const std::vector<std::string>& neighbours, bool loopback_only);

private:
    template <typename Acceptor>
    void accept(Acceptor& acceptor);
    template <typename Acceptor>
    void accept_later(Acceptor& acceptor);
    void accepted(base::Descriptor socket, bool local);
    asio::ip::tcp::endpoint listen_at(const asio::ip::address& address);

    asio::io_context& loop_;
    Accepted accepted_;
    std::function<bool()> make_room_;
    std::string local_address_;
    asio::local::stream_protocol::acceptor local_;
    std::vector<std::unique_ptr<asio::ip::tcp::acceptor>> tcp_;  // one of each address
};

// Tries the addresses one after the other, each for a few seconds. The answer comes once: a socket, or why there is none.
void connect_to(asio::io_context& loop, const std::vector<std::string>& addresses,
                std::function<void(base::Descriptor, const Status&)> connected);

}  // namespace kumihimo::iod::process
