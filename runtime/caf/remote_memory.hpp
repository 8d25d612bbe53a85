// Memory of another image's process that is no coarray's block: what its allocatable and pointer components point to. gfortran
// allocates, moves and frees some of it by malloc, realloc and free. Small components lie in memory that the images of a
// machine share (component_memory.hpp). Others the kernel copies between processes of one machine where it may. Everything else
// goes through the transport (localview/remote.hpp), or, where that does not reach all of a process, through a window of MPI,
// which reaches the memory that was told here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/transport/transport.hpp"

namespace kumihimo::caf {

void prepare_window();         // before MPI starts
void prepare_remote_memory();  // collective over the entire set, once in a program

// Of this image's process. Throws base::Error where there is none. Zero-filled.
void* allocate_component(std::size_t bytes);
void free_component(void* memory);
// The begin of the one that the address lies in, or null: as far as is known, since gfortran frees without telling.
const void* component_around(const void* address);

// A write through the transport is complete as a put is, others are on return. node: in the entire set. Throw base::Error for
// memory that cannot be reached.
void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& shape);
void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& shape);

}  // namespace kumihimo::caf
