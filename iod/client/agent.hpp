// The I/O process of this host, as the rank sees it that opens a file there.
#pragma once

#include "iod/client/link.hpp"

namespace kumihimo::iod {

// Functions throw ConnectionLost.
class Agent {
public:
    // A new one; base::Error if it cannot be started. `name`: what messages call it.
    // `program`: "thread": of this process.
    static Agent start(const std::string& name, const std::string& program = {});
    // One that is there already.
    Agent(Link link, const std::string& name);

    Opened open(const Open& file);
    void attach(std::uint32_t session, const Attach& parents);  // those who join learn what became of it
    void abandon(std::uint32_t session);                        // what was opened is not needed
    Routed route(const Route& route);                           // a way to another machine, for this connection from now on
    Link take_link() { return std::move(link_); }               // last of all

private:
    explicit Agent(Link link) : link_(std::move(link)) {}

    Link link_;
};

}  // namespace kumihimo::iod
