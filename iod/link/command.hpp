// A process whose standard input and output are a connection: ssh, as a rule, with an agent of another machine behind it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace kumihimo::iod::link {

class Command {
public:
    // Throws base::Error if it cannot be started.
    explicit Command(std::vector<std::string> words);
    ~Command();  // waits a moment for its end, then ends it; whoever has the socket should have closed it
    Command(const Command&) = delete;

    base::Descriptor take_socket() { return std::move(socket_); }
    // The last lines of what it wrote on standard error so far, in one; empty: nothing.
    std::string complaint() const;

private:
    base::Descriptor socket_, errors_;
    pid_t process_ = -1;
};

}  // namespace kumihimo::iod::link
