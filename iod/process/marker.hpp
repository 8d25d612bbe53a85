// The neighbour of a file that says that it is incomplete (docs/wire-protocol.md, "Records that survive"). It is there from the
// first byte written after an open or a completed sync until all is durable, so whoever finds it knows of a crash.
#pragma once

#include <string>
#include <vector>

#include "iod/protocol/status.hpp"

namespace kumihimo::iod::process {

class Marker {
public:
    Marker(const std::string& path, std::uint32_t server);

    // Before bytes are written; does nothing if it is there already. A directory where nobody may create files has no markers.
    Status set();
    Status clear();

    static std::vector<std::string> all_of(const std::string& path);  // those of any server
    static void remove_all(const std::string& path);

private:
    std::string name_;
    bool set_ = false;
};

}  // namespace kumihimo::iod::process
