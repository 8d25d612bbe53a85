// One rank's reads: few requests for large stretches of the file, through small gaps, each to the server whose part it is.
#pragma once

#include "iod/client/session.hpp"
#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::catwalk {

struct Source {
    iod::Session& session;
    Index servers, stripe;
    bool fresh;       // past what a node has read before: atomic mode
    Index known_end;  // this rank has written up to here: what a server has not of it yet is a hole, and reads as zeros
};

struct Moved {
    Index bytes = 0;  // fewer than asked for, and all is well: the file ended
    iod::Status status;
};

class Reader {
public:
    Moved read(const Source& source, const Access& access);

private:
    struct Group;
    Moved read_row(const Source& source, const View& view, Index position, std::byte* to, Index bytes);
    Moved read_group(const Source& source, const Group& group, std::byte* to);

    std::vector<std::byte> row_, gaps_;  // kept from call to call
};

}  // namespace kumihimo::mpiio::catwalk
