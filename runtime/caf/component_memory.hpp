// Memory of small components that all images of a machine have mapped, so that reading one there is a load. gfortran frees and
// moves such memory by `free` and `realloc`: this library defines both, for this memory, and hands all other on to the
// functions behind it. Where somebody else's `free` comes first in the program (that of a preloaded allocator), there is no
// such memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kumihimo::caf {

void open_component_memory();   // collective over the entire set
void close_component_memory();  // what is freed later is not given to anybody again

// Zero-filled; malloc's where there is no room or the component is large; null where there is none. `free` gives it back.
void* take_component_memory(std::size_t bytes);
// Where the component is now that was made there, if `realloc` has moved it; else null.
void* moved_component(const void* made);
// Where memory of another image, at an address as that image has it, is mapped here, or null.
std::byte* mapped_component(int node, std::uintptr_t address);

}  // namespace kumihimo::caf
