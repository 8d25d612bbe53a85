// Standard input and output as a connection: of `kumihimo-iod --stdio`, which ssh starts on another machine.
#pragma once

#include "iod/link/connection.hpp"

namespace kumihimo::iod {

// Whatever else this process prints goes to standard error from now on. Throws base::Error, also if they are files.
process::Ends standard_streams();

}  // namespace kumihimo::iod
