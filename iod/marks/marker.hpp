// Makes the neighbour of a file that says that it is incomplete (docs/explanation/wire-protocol.md, "Records that survive"). It
// is there from the first byte written after an open or a completed sync until all is durable, so whoever finds it knows of a
// crash - or of a writer that lives, which holds it locked. Each opening has marks of its own.
#pragma once

#include "iod/marks/mark_name.hpp"
#include "iod/marks/place.hpp"
#include "iod/protocol/status.hpp"

namespace kumihimo::iod::marks {

class Marker {
public:
    Marker(std::uint32_t server, const Opening& opening);
    void lies_beside(Place place);  // before set()
    const Place& place() const { return place_; }

    // Before bytes are written; does nothing if it is there already. Where nobody may create files there are no marks.
    Status set();
    Status clear();

private:
    Status publish();
    Status failure(const std::string& what, int number) const;

    MarkName name_;
    Place place_;
    base::Descriptor locked_;  // until the next one: to give a lock back is a message to a network file system
    bool set_ = false;
};

}  // namespace kumihimo::iod::marks
