// Parts of a view as they travel: loop nests, not lists of blocks (docs/explanation/wire-protocol.md, "Files").
#pragma once

#include <functional>

#include "iod/protocol/messages.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::stampi {

// One request's part: stream bytes [begin, begin + bytes) of the access.
struct Part {
    iod::Layout layout;
    Index begin = 0, bytes = 0;
};

// Visits an access in parts of at most a request, in order, as long as visit(part) says so.
void for_each_part(const Access& access, const std::function<bool(const Part&)>& visit);

}  // namespace kumihimo::mpiio::stampi
