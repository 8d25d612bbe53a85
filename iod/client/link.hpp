// Ways to agents, and those that no file of this process uses now. An agent lives as long as anybody is connected with it, so
// keeping one spares the next file the start of a process, and a greeting (docs/explanation/wire-protocol.md, "Opening a
// file").
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "iod/client/connection.hpp"
#include "iod/client/inherited.hpp"
#include "iod/link/starter.hpp"

namespace kumihimo::iod {

// It belongs to one file at a time. Where the agent is a thread of this process, its end is waited for after the connection's.
struct Link {
    std::unique_ptr<Started> running;
    Connection connection;
    std::string address = {};  // of the agent's Unix socket
    Inherited inherited = inherited_now();
};

// For all threads.
class Links {
public:
    std::optional<Link> to(const std::string& address);
    std::optional<Link> to_any();  // that would be started now as it was
    void keep(Link link);
    void clear();

private:
    template <typename Fits>
    std::optional<Link> take(Fits&& fits);

    std::mutex mutex_;
    std::vector<Link> idle_;
};

}  // namespace kumihimo::iod
