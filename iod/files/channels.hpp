// Connections by TCP beside the one by ssh, for machines whose network is faster than ssh encrypts. Nothing listens before
// somebody who came by ssh asks for one; who then connects shows a token that came by ssh, once, within a minute. A channel
// ends with the connection that asked for it, and when it has carried as many bytes as were asked for.
#pragma once

#include "iod/files/root.hpp"
#include "iod/link/host.hpp"

namespace kumihimo::iod::process {

Channel offer_channel(Host& host, const Root& root, const FileChannel& asked);

}  // namespace kumihimo::iod::process
