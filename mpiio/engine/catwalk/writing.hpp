// One rank's writes: the bytes that an access shows of the file become records in the ring.
#pragma once

#include "iod/client/session.hpp"
#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::catwalk {

// `row`: for memory that is not contiguous; taken at first use and kept. False: the session says why.
bool write(iod::Session& session, const Access& access, std::vector<std::byte>& row);

Index end_of(const Access& access);  // the byte behind its last one in the file; 0: it has none

}  // namespace kumihimo::mpiio::catwalk
