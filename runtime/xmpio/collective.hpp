// Collective transfer of a distributed array or a section of it: the nodes that own elements meet the nodes that read or
// write the file. Used by xmp_fread_darray_all and xmp_fwrite_darray_all.
#pragma once

#include <sys/types.h>

#include "runtime/xmpio/file.hpp"
#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpio {

// Both are collective over the file's set and return the same failure on all of its nodes. `moved`: bytes of this node's part.
std::optional<Failure> read_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved);
std::optional<Failure> write_array(File& file, xmp_desc_t descriptor, const xmp_range_t* rp, Index& moved);
// Where the file ends inside of what is read: the code of read_array's failure.
constexpr int too_short = -2;
// Local data that all nodes have or get alike, without a view. Collective: one node reads or writes, all pointers move.
std::optional<Failure> read_same(File& file, void* buffer, Index bytes, Index& moved);
std::optional<Failure> write_same(File& file, const void* buffer, Index bytes);
// Collective: from byte `displacement` on, this node sees only what it owns of the section; its pointer goes to 0.
std::optional<Failure> set_view(File& file, Index displacement, xmp_desc_t descriptor, const xmp_range_t* rp);

}  // namespace kumihimo::xmpio
