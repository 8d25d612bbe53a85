// A checksum of what a file holds of an array that does not depend on the array's layout: each node sums over its own elements,
// without looking at the file, and the sums are added. So it also tells whether elements have changed places between a memory
// and a file. docs/reference/flat-files.md defines it; commands/array_files/flat.py computes it, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/xmpio/part.hpp"

namespace kumihimo::xmpio {

// What the elements of one node's part add to the checksum of the whole section. block: the node's memory, which is only read.
std::uint64_t checksum(const Part& part, std::byte* block);
// Of the bytes of a file, element by element.
std::uint64_t checksum(const std::byte* bytes, Index elements, std::size_t element_bytes);

}  // namespace kumihimo::xmpio
