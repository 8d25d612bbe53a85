// The bytes of a request, whose places in the file are a layout, as a file view.
#pragma once

#include "base/datatype.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::mpiio::remote {

bool is_one_block(const iod::Layout& layout);
base::Datatype view_of(const iod::Layout& layout);  // committed, from the beginning of the file
// Of the layout's bytes, how many lie before the end of a file of so many: those up to the first that is not there.
std::size_t bytes_before(const iod::Layout& layout, iod::Offset end);

}  // namespace kumihimo::mpiio::remote
