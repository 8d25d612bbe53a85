// A gateway's part in the way to another machine, where the gateway's sshd passes no connections on by itself: bytes between
// two descriptors and a port of the machine behind. It reads none of them: ssh's session with that machine goes through whole.
#pragma once

#include <string>

namespace kumihimo::iod::link {

// Until the other side ends, or nobody takes what it sends. Throws base::Error if nobody answers there.
void pass_on(int in, int out, const std::string& host, const std::string& port);

}  // namespace kumihimo::iod::link
