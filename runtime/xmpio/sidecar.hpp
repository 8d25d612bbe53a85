// The description of a file that is being written: its arrays as they are written, with checksums of what the nodes have in
// memory, and what else was written over them. Stored beside the file when that is closed (description.hpp).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/xmpio/agreement.hpp"
#include "runtime/xmpio/description.hpp"
#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpio {

// The checksum of a section as the nodes of `comm` have it in memory. Collective.
std::uint64_t checksum_in_memory(MPI_Comm comm, const execution::Array& array, const Section& section);
ArrayInFile in_file(const execution::Array& array, const Section& section, Index position);

class Sidecar {
public:
    // keeps: what the file holds already stays as it was described.
    Sidecar(MPI_Comm comm, const std::string& file, bool keeps);

    // (local) Bytes that this node wrote.
    void wrote(Index begin, Index end);
    // Collective: from `position` on the file holds this section now.
    void holds(const execution::Array& array, const Section& section, Index position);
    // Collective: and there local data that all nodes have alike.
    void holds(const std::string& name, const void* data, Index bytes, Index position);
    // Collective, once the file is closed: beside `name`, which it has or will have.
    std::optional<Failure> store(const std::string& name, const std::string& file);

private:
    void holds(ArrayInFile array, std::uint64_t checksum);
    bool touched(Index begin, Index end) const;
    void forget_touched();
    bool first() const;

    MPI_Comm comm_;
    Description description_;
    std::map<Index, Index> touched_;  // on this node, since the arrays there were written: begin -> end, disjoint
};

}  // namespace kumihimo::xmpio
