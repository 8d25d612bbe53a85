// What a server says of its file in marks beside it (iod/marks): that it is incomplete, from the first byte that is no more
// what the last sync left until all servers have what the next one is of. Used by one thread.
#pragma once

#include <vector>

#include "iod/files/file.hpp"
#include "iod/marks/marker.hpp"
#include "iod/marks/marks.hpp"

namespace kumihimo::iod::process {

class Completeness {
public:
    Completeness(std::uint32_t server, const Opening& opening) : decides_(server == 0), marker_(server, opening) {}

    bool decides() const { return decides_; }  // the first server, about marks that were there before
    // Of a regular file that was opened. Not well: a crash left it incomplete, and nobody `accepts` that.
    Status begin(const File& file, bool is_new, marks::Listing listing, bool accepts);

    Status expect() { return known_ ? marker_.set() : Status{}; }  // something will change
    Status change();                                               // it does now
    void synced() { complete_ = true; }
    Status settle();  // all servers are: it says so

private:
    Status look_at_marks(const std::string& path, bool is_new, marks::Listing listing, bool accepts);

    bool decides_, known_ = false;
    bool complete_ = true;  // nothing was written since the last sync
    marks::Marker marker_;
    std::vector<marks::Mark> accepted_;  // of crashes before this opening
};

}  // namespace kumihimo::iod::process
