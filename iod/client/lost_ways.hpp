// Ways of this process to other machines that broke for good. The I/O process at the other end of one may not know: before this
// process goes there again, that one is ended, so that nothing old is written over what is new.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

// What a way is known by.
struct WayThere {
    std::string host;
    Way way{};
};

// For all threads.
class LostWays {
public:
    static LostWays& of_process();

    WayThere prepare(Route& route);  // gives it a name, and those of the lost ones to its host
    void ended(const Route& route);  // it was reached: nothing serves those any more
    void add(const WayThere& lost);

private:
    std::mutex mutex_;
    std::map<std::string, std::vector<Way>> by_host_;
};

}  // namespace kumihimo::iod
