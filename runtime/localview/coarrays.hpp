// The coarrays of a program: where the block of each image lies and how it is reached. Everything else in this room asks
// here before it touches memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kumihimo/localview.h"
#include "runtime/execution/objects.hpp"
#include "runtime/memory/segment.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::localview {

// The memory of one coarray on all images.
struct Blocks {
    std::string name;
    std::unique_ptr<memory::Segment> segment;  // null where another owns the memory: the transport, a global array
    std::unique_ptr<transport::Region> own_region;
    transport::Region* region = nullptr;  // own, or the array's; null where every image is reached directly
    std::vector<char*> direct;            // by number in the entire set
    std::vector<std::size_t> bytes;       // by number in the entire set; equal but for global arrays
    std::size_t element_bytes = 0;        // 0: the shape is not known
    std::vector<XMP_Index> sizes;         // of the dimensions as written; of a global array's block on this node
    bool of_global_array = false;
    execution::NodeSetPointer images;  // that have allocated it by xmp_comalloc; null for others
    std::vector<int> coextents;        // of these: of all codimensions but the last
    std::int64_t number = -1;          // of one on all images, the same there
};

// The whole of a coarray; `XMP_Coarray` (what generated code sees) is its base class.
struct Coarray : XMP_Coarray {
    std::shared_ptr<Blocks> blocks;
    execution::NodeSetPointer pinned_set;  // `coarray on`: what `pinned` points into
    XMP_Images pinned{};
};

// Bytes of a section before and behind the address of its first element; both 0 where it is empty.
struct Extent {
    std::ptrdiff_t before = 0, behind = 0;
};
Extent extent_of(const XMP_Section& section, std::size_t element_bytes);

// Memory of an image.
struct Place {
    const Blocks* blocks;
    int node;             // number in the entire set
    std::size_t offset;   // in the image's block
    std::byte* direct;    // mapped here, or null
    bool shared() const;  // every image reaches it directly: processor atomics do
    bool mine() const;
};

// Throws base::Error for an image that does not exist and for bytes outside its block.
Place locate(const XMP_Coarray* coarray, long long image, const void* mine, const Extent& extent);

// A global array's blocks; null where its memory is not the runtime's. Throws base::Error if the one on `node` cannot be
// reached.
std::shared_ptr<const Blocks> reachable_blocks(const execution::Array& array, int node);

// A global array's blocks as a coarray; its memory must be the runtime's.
Coarray& blocks_as_coarray(const execution::Array& array);

// Inside this room (allocation.hpp): memory becomes a coarray, and is one no more.
Coarray& enter(std::shared_ptr<Blocks> blocks, std::byte* local, std::size_t bytes, bool on_all_images);
void forget(const Coarray& coarray);
void release_coarrays();                // all; collective
Coarray* coarray_at(const void* base);  // which begins there; null: none does

// A global array is a coarray through its local section: where the program has coarrays, and some of the array's nodes are on
// other machines, the transport reaches its memory. Collective over those nodes.
void offer(const memory::Segment& memory, const execution::NodeSet& nodes);
void withdraw(const void* memory);  // this node's block, before it is freed; collective over the array's nodes

// For the checks: the declared coarray in whose block on this image the address lies, or null; an element in words.
const Blocks* own_block_around(const void* address);
std::string element_text(std::int64_t block, std::int64_t offset);

}  // namespace kumihimo::localview
