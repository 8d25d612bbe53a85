// The job's transport to images without a direct pointer, made when the first coarray needs it, and what was put through it.
// Accesses of memory are in remote.hpp.
#pragma once

#include <cstdint>

#include "runtime/transport/transport.hpp"

namespace kumihimo::localview {

// Null where all images share memory. Collective over the entire set at first use.
transport::Transport* transport_for_coarrays();
transport::Transport* transport();  // null: none was needed so far
void release_transport();           // collective

// Memory of other images' processes by its address there; null where the transport does not reach that, which is found out
// first, collectively over the entire set.
transport::Region* region_of_processes();

// Whether something was put since the last fence.
bool has_unfenced_puts();
void set_unfenced_puts(bool unfenced);
// What a message must bring for its receiver to know that the puts before it have come: they have where puts_came_from, there,
// says so of that number.
std::uint64_t puts_sent_to(int node);
bool puts_came_from(int node, std::uint64_t sent);

}  // namespace kumihimo::localview
