// Starts the agent of a node, for the rank that opens a file first there: as a process of its own, or as a thread of the rank
// where no process may be started (or KUMIHIMO_IOD=thread).
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

// Throws base::Error with what failed and what to do. `program`: of kumihimo-iod; empty: KUMIHIMO_IOD, else beside the library
// that calls, else in PATH.
StartedAgent start_agent(const std::string& program = {});

}  // namespace kumihimo::iod
