#include "iod/client/agent.hpp"

#include "base/format.hpp"
#include "iod/process/agent.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {

Agent Agent::start(const std::string& name, const std::string& program) {
    StartedAgent started = start_agent(program);
    const std::string peer = started.log.empty() ? name : fmt::format("{} (its log: {})", name, started.log);
    Agent agent(Link{std::move(started.running), Connection(base::Descriptor(started.connection), peer)});
    agent.link_.connection.greet("the rank that started it");
    return agent;
}

Agent::Agent(Link link, const std::string& name) : link_(std::move(link)) {
    link_.connection.name_peer(name);
}

// What no agent takes would end the connection.
Opened Agent::open(const Open& file) {
    try {
        check(file);
        check(file.options);
    } catch (const ProtocolError& error) {
        Opened refused;
        refused.status = {Code::not_supported, error.what(), {}};
        return refused;
    }
    Opened opened = link_.connection.ask<Opened>(Type::open, 0, file);
    link_.address = opened.local_address;
    return opened;
}

Routed Agent::route(const Route& route) {
    check(route);
    return link_.connection.ask<Routed>(Type::route, 0, route);
}

void Agent::attach(std::uint32_t session, const Attach& parents) {
    link_.connection.tell(Type::attach, session, encode(parents));
}

void Agent::abandon(std::uint32_t session) {
    link_.connection.tell(Type::leave, session, encode(Leave{}));
}

}  // namespace kumihimo::iod
