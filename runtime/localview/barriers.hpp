// Inside runtime/localview only: how images count the barriers, and the steps of collectives, that each two of them make
// together. Both meet these in the same order, so the count at its entry says of a barrier which one it is.
//
// What all agree on when an image is missing are facts that do not change any more: a barrier, or the last step of a
// collective, was entered by an image, or was skipped, or will never be reached since the image has failed. An image may act on
// an absence (skip steps, go on without that image) after it has told all others of it: so nobody meets such an act without its
// reason. tests/caf/test_failure_agreement.py tries this in all orders.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/execution/node_set.hpp"

namespace kumihimo::localview {

std::int64_t barrier_with(int node);  // that this image has entered
void enter_barrier(const execution::NodeSet& set);
bool came(int node);     // to the barrier that this image has entered last
bool missing(int node);  // it has failed, or ended before that barrier
bool cannot_be_relied_on(const execution::NodeSet& set);
bool never_comes(const execution::NodeSet& set);  // a member; one that failed or stopped after it came does its part to the end

// Of a barrier that this image has entered; `disseminating`: all may be there. Returns those that did not come, the same to all
// who do.
std::vector<int> complete_barrier(const execution::NodeSet& set, bool disseminating = true);
std::vector<int> meet(const execution::NodeSet& set);  // enters and completes it

void leave_step(const execution::NodeSet& set);                      // what the others show in it was read
void skip_steps(const execution::NodeSet& set, std::int64_t count);  // of a collective: counted, and told to all who wait there

}  // namespace kumihimo::localview
