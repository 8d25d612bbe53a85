// What a session needs of the agent around it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "iod/link/connection.hpp"

namespace kumihimo::iod::process {

class Host {
public:
    using Connected = std::function<void(std::shared_ptr<Connection>, const Status&)>;  // null: the status says why

    virtual ~Host() = default;
    virtual asio::io_context& loop() = 0;
    virtual std::string local_address() const = 0;  // of the Unix socket
    // Where agents of these machines, or only those of this one, reach it; best first.
    virtual std::vector<std::string> addresses(const std::vector<std::string>& neighbours, bool loopback_only) = 0;
    virtual Token token(const Role& role) = 0;
    virtual void connect(const Parent& parent, const Role& role, const std::string& name, Connected connected) = 0;
};

}  // namespace kumihimo::iod::process
