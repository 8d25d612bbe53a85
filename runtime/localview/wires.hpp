// Connections between images of different machines: when a process dies, the kernels of both machines end its connections,
// and the images at the other ends see that. A machine that goes silent is given a minute. All that is ever sent is a byte, by
// who is about to report an error that ends the job.
#pragma once

#include <vector>

namespace kumihimo::localview {

// Collective over the entire set; `far`: the images of other machines. Where a network allows no such connections, nothing is
// seen (a message in the log says so). They stay until the process ends: their ends mean nothing else.
void open_wires(const std::vector<int>& far);

std::vector<int> take_cut_wires();  // images whose process has ended; each is told once
std::vector<int> cut_wires();       // that were not taken; any thread may ask

// Whether this machine may report an error that ends the job: of several, one does. Any thread may ask, once.
bool report_for_all(int machine);

}  // namespace kumihimo::localview
