#include "iod/client/agent.hpp"

#include "base/format.hpp"

namespace kumihimo::iod {

namespace {

Link start(const std::string& name) {
    StartedAgent started = start_agent();
    const std::string peer = started.log.empty() ? name : fmt::format("{} (its log: {})", name, started.log);
    return {std::move(started.running), Connection(base::Descriptor(started.connection), peer)};
}

}  // namespace

Agent::Agent(const std::string& name) : link_(start(name)) {
    link_.connection.greet("the rank that started it");
}

Opened Agent::open(const Open& file) {
    return link_.connection.ask<Opened>(Type::open, 0, file);
}

Status Agent::attach(std::uint32_t session, const Attach& parents) {
    return link_.connection.ask<Status>(Type::attach, session, parents);
}

}  // namespace kumihimo::iod
