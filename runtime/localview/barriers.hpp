// Inside runtime/localview only: how images count the barriers, and the steps of collectives, that each two of them make
// together. Both meet these in the same order, so the count at its entry says of a barrier which one it is.
#pragma once

#include <cstdint>

#include "runtime/execution/node_set.hpp"

namespace kumihimo::localview {

std::int64_t barrier_with(int node);  // that this image has entered
void enter_barrier(const execution::NodeSet& set);
bool came(int node);     // to the barrier that this image has entered last
bool missing(int node);  // it has failed, or ended before that barrier
bool cannot_be_relied_on(const execution::NodeSet& set);

void leave_step(const execution::NodeSet& set);                          // what the others show in it was read
void count_barriers(const execution::NodeSet& set, std::int64_t count);  // as if this image had entered them
void jump_barriers(const execution::NodeSet& set, std::int64_t count);   // the same, told to all who wait for it there

}  // namespace kumihimo::localview
