// What a session needs of the agent around it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "iod/link/connection.hpp"

namespace kumihimo::iod::process {

// What is said to an agent that this one connects to.
struct Greeting {
    std::string name;
    Token token{};
    std::uint16_t lowest_version = oldest_version;
    std::chrono::seconds patience{10};  // until it must have answered
    bool leads_away = false;            // the socket is a process's that passes on to another machine
    bool compresses = false;            // frames, if the other side knows how
};

class Host {
public:
    using Connected = std::function<void(std::shared_ptr<Connection>, const Status&)>;  // null: the status says why

    virtual ~Host() = default;
    virtual asio::io_context& loop() = 0;
    virtual std::string local_address() = 0;  // of the Unix socket
    // Where agents of these machines, or only those of this one, reach it; best first.
    virtual std::vector<std::string> addresses(const std::vector<std::string>& neighbours, bool loopback_only) = 0;
    virtual Token token(const Role& role) = 0;
    // Greets whoever is behind a socket that is connected already.
    virtual void call(base::Descriptor socket, const Greeting& greeting, const Role& role, Connected connected) = 0;
    // The same with whoever listens at one of these addresses.
    virtual void connect(const std::vector<std::string>& addresses, const Greeting& greeting, const Role& role,
                         Connected connected) = 0;
};

}  // namespace kumihimo::iod::process
