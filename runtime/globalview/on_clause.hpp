// What the on clause of a loop says about node sets: which nodes execute this node's iterations together with it, and
// which nodes share a reduction. (References of task, bcast and reduction directives: execution::Context::resolve.)
#pragma once

#include "runtime/execution/objects.hpp"

namespace kumihimo::globalview {

using execution::NodeSetPointer;
using sets::Index;

// The nodes among which the reduction clause of a loop combines (decision WRK-01): along the node dimensions that carry an
// index of the loop all coordinates, along the others this node's own, so that replicas do not count twice. Restricted to
// the executing set. Null where this node takes no part.
NodeSetPointer reduction_set(const XMP_On& on, unsigned index_dimensions);

// The nodes that execute the same iterations as this node: its own coordinate along the dimensions that carry an index,
// whatever the clause names along the others. Null where this node takes no part.
NodeSetPointer iteration_set(const XMP_On& on, unsigned index_dimensions);

// The same with all nodes along the dimensions for which the clause has `*`: each executes the iterations in a set of its own.
NodeSetPointer sharing_set(const XMP_On& on, unsigned index_dimensions);

}  // namespace kumihimo::globalview
