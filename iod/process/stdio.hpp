// Standard input and output as a connection: of `kumihimo-iod --stdio`, which ssh starts on another machine.
#pragma once

#include "base/descriptor.hpp"

namespace kumihimo::iod {

// One socket for both. Whatever else this process prints goes to standard error from now on. Threads carry the bytes; they end
// with the process. Throws base::Error.
base::Descriptor standard_streams();
void finish_standard_streams();  // what the other side of the socket has sent is written

}  // namespace kumihimo::iod
