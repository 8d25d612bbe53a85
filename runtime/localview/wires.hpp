// Connections between images of different machines, over which nothing is sent: when a process dies, the kernels of both
// machines end its connections, and the images at the other ends see that. A machine that goes silent is given a minute.
#pragma once

#include <vector>

namespace kumihimo::localview {

// Collective over the entire set; has_far_images() says whether it is of use. Where a network allows no such connections,
// nothing is seen (a message in the log says so). They stay until the process ends: their ends mean nothing else.
void open_wires();

std::vector<int> take_cut_wires();  // images whose process has ended; each is told once
bool some_wire_is_cut();            // and was not taken; any thread may ask

}  // namespace kumihimo::localview
