// Standard input and output as master I/O (master_streams.h).
#pragma once

namespace kumihimo::xmpio {

// When the program starts, collective over all nodes; does nothing where the program was linked without --io=master.
void start_master_streams();

}  // namespace kumihimo::xmpio
