// Accesses of images' memory by the job's transport, and when they are complete.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/localview/coarrays.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::localview {

void remote_get(const Place& place, std::byte* to, const sets::Correspondence& shape);
void remote_put(const Place& place, const std::byte* from, const sets::Correspondence& shape);
void remote_accumulate(const Place& place, const std::byte* from, const sets::Correspondence& shape,
                       transport::Reduction operation, int type);
std::int64_t remote_atomic(const Place& place, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                           std::int64_t compare);
// Memory of other images' processes by its address there, where region_of_processes is not null.
void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& shape);
void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& shape);

void complete_puts();  // everything that this image has put or accumulated is visible at the images
void order_puts();     // it is visible to whoever sees what this image does next
// The same for what it does next at this node (of the entire set), and for whoever sees what that one does then.
void order_puts_before(int node);

}  // namespace kumihimo::localview
