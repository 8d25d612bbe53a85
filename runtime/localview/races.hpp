// For programs compiled with --check: do two images use the same element of a coarray, one of them to write it, and nothing
// orders them? Each image keeps account of its uses. Where all images synchronise (sync_all, barrier) each target is told what
// the others did with its block, and compares. Other synchronisations order some images only: there a pair counts as a race
// only if no chain of them can lead from one to the other.
#pragma once

#include <cstddef>

#include "kumihimo/localview.h"
#include "runtime/execution/guard.hpp"
#include "runtime/execution/node_set.hpp"

namespace kumihimo::localview {

struct Place;

enum class Use : int { read, write, accumulate };

// Of a section on an image, and of memory here, which counts if it is part of a coarray.
void note_remote(const XMP_Site* site, Use use, const Place& place, const XMP_Section& section, std::size_t element_bytes);
void note_local(const XMP_Site* site, Use use, const XMP_Section& section, std::size_t element_bytes);

// What orders this image with others.
enum class Order {
    some_images,    // sync_images, post, wait, lock, unlock, atomic operations, collective directives
    by_the_program  // sync_memory: the program waits for others by itself
};
void note_order(Order order);
// All images of the set have synchronised. Collective over it; throws base::Error for a race.
void compare_uses(const execution::NodeSetPointer& set);
// An image has ended before the others: nothing more can be said.
void stop_comparing();

}  // namespace kumihimo::localview
