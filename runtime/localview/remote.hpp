// Images without a direct pointer: the job's transport, made when the first coarray needs it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/localview/coarrays.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::localview {

// Null where all images share memory. Collective over the entire set at first use.
transport::Transport* transport_for_coarrays();
transport::Transport* transport();  // null: none was needed so far

void remote_get(const Place& place, std::byte* to, const sets::Correspondence& shape);
void remote_put(const Place& place, const std::byte* from, const sets::Correspondence& shape);
void remote_accumulate(const Place& place, const std::byte* from, const sets::Correspondence& shape,
                       transport::Reduction operation, int type);
std::int64_t remote_atomic(const Place& place, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                           std::int64_t compare);
// Memory of other images' processes by its address there, where the transport reaches that: whether it does is found out
// first, collectively over the entire set.
bool reach_processes();
void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& shape);
void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& shape);

void remote_fence();
// The same, but what was put at this node need only come before what this image asks it for next through the transport; or,
// for what it tells it otherwise: the number that puts_came_from has to be asked for there.
void remote_fence_others(int node);
std::uint64_t puts_sent_to(int node);
bool puts_came_from(int node, std::uint64_t sent);
void release_transport();  // collective

}  // namespace kumihimo::localview
