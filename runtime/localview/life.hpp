// What the rest of the runtime tells the local view: when a program begins, ends and stops, and that an image control of its
// own (barrier) completes puts.
#pragma once

#include "runtime/execution/node_set.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::localview {

void start();  // collective over the entire set, before the units declare their coarrays
void end();    // this image ends normally: its puts are completed, and nobody needs to wait for it any more
void stop();   // collective, after end() on every image: gives everything back

// A global array is a coarray through its local section: where the program has coarrays, and some of the array's nodes are on
// other machines, the transport reaches its memory. Collective over those nodes.
void offer(const memory::Segment& memory, const execution::NodeSet& nodes);
void withdraw(const void* memory);  // this node's block, before it is freed; collective over the array's nodes

void complete_puts();  // everything that this image has put or accumulated is visible at the images
void order_puts();     // it is visible to whoever sees what this image does next
// The same for what it does next at this node (of the entire set), and for whoever sees what that one does then.
void order_puts_before(int node);
void progress();  // receives messages and lets the transport go on; called in every wait
void look();      // the former half, where base/progress.hpp does the latter

}  // namespace kumihimo::localview
