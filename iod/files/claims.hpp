// Which process serves a way from another machine. If a connection breaks, the process at its old end may not have noticed, and
// would still write what it had received over what was written since. So each way has a name that one process has at a time: an
// abstract Unix socket, which the kernel takes away when the process is gone. Whoever comes next ends the one that has it.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "base/descriptor.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

class Claims {
public:
    // taken: the way is this process's until it ends. Else another one has it, which is being ended: ask again.
    Status take(const Way& way, bool& taken);
    const Way& own() const { return own_; }                 // the first that was taken; zeros: none
    static bool is_held(const std::string& digits_of_way);  // a process of this machine has it

private:
    static pid_t holder_of(const Way& way);
    Status end(const Way& way);
    bool is_ending(const Way& way);

    Way own_{};
    std::map<Way, base::Descriptor> mine_;
    std::map<Way, base::Descriptor> ending_;  // whose process was told to end: its pidfd
};

}  // namespace kumihimo::iod::process
