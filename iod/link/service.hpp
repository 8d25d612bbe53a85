// What an agent serves over its connections, as the loop sees it: an open file of Catwalk, a way to another machine.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "iod/link/host.hpp"

namespace kumihimo::iod::process {

class Service {
public:
    virtual ~Service() = default;
    virtual void begin(const FrameHeader& request) = 0;  // answers what opened it
    virtual void arrived(Connection& connection, Arrival&& arrival) = 0;
    virtual void ended(Connection& connection, const Status& why) = 0;  // any connection of the agent
    // A connection that came with a token of this service; false: it is not expected.
    virtual bool add_child(const std::shared_ptr<Connection>& /*child*/) { return false; }

    virtual bool work() = 0;               // moves what can be moved; whether anything did
    virtual bool sleep() { return true; }  // before the loop waits; false: something came meanwhile
    virtual void wake() {}                 // it has waited
    virtual bool over() const = 0;         // all have left, or nobody is there any more
    virtual void end() = 0;                // once, when it is over
};

// One function for each message that opens something. Throws ProtocolError.
using Opener = std::function<std::shared_ptr<Service>(Host& host, std::uint32_t number, std::shared_ptr<Connection> opener,
                                                      const Arrival& arrival)>;
using Openers = std::map<Type, Opener>;

}  // namespace kumihimo::iod::process
