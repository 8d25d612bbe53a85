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

// Not cleared; null where there is no room or the component is large. `free` gives it back.
void* take_component_memory(std::size_t bytes);
// Tells of a component whose memory is malloc's.
void note_component_outside(void* memory);
// Where `realloc` has moved it to since it was taken or told of, or null.
void* moved_component(const void* memory);
// Where memory of another image, at an address as that image has it, is mapped here, or null.
std::byte* mapped_component(int node, std::uintptr_t address);

}  // namespace kumihimo::caf
