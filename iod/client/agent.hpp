// The I/O process of this node, as the rank that started it sees it.
#pragma once

#include <memory>
#include <string>

#include "iod/client/connection.hpp"
#include "iod/process/starter.hpp"

namespace kumihimo::iod {

// The way to an agent. Where the agent is a thread of this process, its end is waited for after the connection's.
struct Link {
    std::unique_ptr<Started> running;
    Connection connection;
};

class Agent {
public:
    // Throws ConnectionLost if it does not answer, base::Error if it cannot be started. `name`: what messages call it.
    explicit Agent(const std::string& name);

    Opened open(const Open& file);  // throws ConnectionLost
    Status attach(std::uint32_t session, const Attach& parents);
    Link take_link() { return std::move(link_); }  // last of all

private:
    Link link_;
};

}  // namespace kumihimo::iod
