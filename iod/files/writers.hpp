// Which ways from other machines may write a file. A relay whose connection broke comes back, opens its files again and sends
// what was not answered. If another program has opened one of them for writing meanwhile, that would go over what is new. So a
// file has an attribute (xattr(7)) for each way that has it open for writing. Who opens it so marks those of ways that no
// process serves at that moment as lost. A relay that comes back then sees another file than before.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

// For all threads of a process.
class Writers {
public:
    // The way has opened the file for writing. 0: it may go on as before, also where files have no attributes, or nobody has
    // claimed the way. Else it was lost when another program came, so many seconds after 1970. Ways of one opening leave each
    // other alone, since a network takes all of a program's connections at a time. `which`: the same of the same file.
    std::int64_t enter(int file, std::int64_t which, const Way& way, const Opening& opening);
    void leave(int file, std::int64_t which, const Way& way);  // who was not lost; the last of this process ends the attribute

private:
    std::mutex mutex_;
    std::map<std::int64_t, int> open_;  // those that have not left, by files
};

}  // namespace kumihimo::iod::process
