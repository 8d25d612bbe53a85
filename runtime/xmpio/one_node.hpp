// A section of a global array on its way between its owners and the memory of one node, a range of positions at a time: what
// master I/O reads and writes (specification D.3). That node needs memory for the range only.
#pragma once

#include <optional>
#include <vector>

#include "runtime/teams/team.hpp"
#include "runtime/xmpio/part.hpp"

namespace kumihimo::xmpio {

class SectionAtOneNode {
public:
    // `executing`: the nodes that transfer; `root`: the one with the memory, by its number there. changes: whether the section
    // will be written to. Throws base::Error where an owner does not execute; of equal owners one is enough to read from.
    SectionAtOneNode(const execution::Array& array, const Section& section, const execution::NodeSetPointer& executing,
                     int root, bool changes);

    Index elements() const { return elements_; }

    // Collective over `executing`: the elements at positions begin <= position < end. whole: of the root, all of them.
    void gather(Index begin, Index end, std::byte* whole) const;
    void scatter(Index begin, Index end, std::byte* whole) const;  // reads it only

private:
    // An owner's part. number: of the owner among the executing nodes; sends: it is the one of its replicas whose elements
    // count.
    struct Owner {
        int number;
        bool sends;
        Part part;
    };
    struct Message;
    class Transit;
    bool root() const { return team_.my_number() == root_; }
    std::vector<std::vector<Index>> candidates(const Section& section) const;
    void add(const Section& section, const std::vector<Index>& coordinates, bool changes);
    int sender(std::vector<Index> coordinates) const;
    int executing_number(const std::vector<Index>& coordinates) const;
    std::vector<Message> messages(Index begin, Index end, bool gathers) const;

    const execution::Array& array_;
    execution::NodeSetPointer executing_;
    teams::Team& team_;
    int root_;
    Index elements_;
    std::vector<Owner> owners_;  // at the root all, elsewhere this node, if it is one
};

}  // namespace kumihimo::xmpio
