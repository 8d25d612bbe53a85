// Collective operations among images that do not all reach each other's memory (those that do have desks.hpp): schedules of
// collectives/ by messages between the members. What will never come, since an image has died, is left. No communicator of the
// set is needed, which MPI could not make while an image dies.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "runtime/execution/node_set.hpp"

namespace kumihimo::localview {

// into[i] = into[i] (operation) from[i]
using Combine = std::function<void(std::byte* into, const std::byte* from, std::size_t count)>;

// Collective over the set, whose members agree on all sizes; the images must be watched (failures.hpp). Throw Missing where a
// member is, and then the values are as before. Values are combined in the order of the members, the same on all of them;
// wanted: whether this image is to have the result.
void reduce_by_messages(const execution::NodeSet& set, std::span<std::byte> values, std::size_t element_bytes,
                        const Combine& combine, bool wanted);
void broadcast_by_messages(const execution::NodeSet& set, std::span<std::byte> values, int root);

}  // namespace kumihimo::localview
