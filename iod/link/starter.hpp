// Starts kumihimo-iod: as a process of its own, or as a thread where no process may be started.
#pragma once

#include <memory>
#include <string>

namespace kumihimo::iod {

class Started {
public:
    virtual ~Started() = default;  // of a thread: waits for it, so close the connection before
    virtual bool is_thread() const { return false; }
};

struct StartedAgent {
    int connection = -1;  // the connected Unix socket; the caller's to close: then the agent ends with its last file
    std::string log;      // where it writes what goes wrong; empty: nowhere
    std::unique_ptr<Started> running;  // keep it as long as the connection, and destroy it after that
};

namespace link {

// As start_agent() (iod/process/agent.hpp). `serve`: what a thread does with its end of the connection.
StartedAgent start(const std::string& program, void (*serve)(int connection));

}  // namespace link

}  // namespace kumihimo::iod
