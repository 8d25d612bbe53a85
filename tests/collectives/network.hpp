// The messages of all ranks' schedules on the links of a network, without their data: read rank by rank, so that machines of
// tens of thousands of nodes are a matter of seconds.
#pragma once

#include <functional>
#include <vector>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives::test {

class Network {
public:
    Network(const Algorithm& algorithm, const Call& call);  // of any rank; those of the others differ in the rank only

    Bytes messages() const { return static_cast<Bytes>(messages_.size()); }
    Bytes hops() const { return hops_; }       // of all messages
    Bytes most_loaded() const;                 // bytes on the link that carries most
    std::vector<Bytes> loads(int rank) const;  // bytes on the links that leave a node
    // Messages one after the other on the longest chain of dependencies. Precondition: the schedules can run in their order, as
    // those can that only send and receive along trees and axes.
    int depth() const;
    void for_each_message(const std::function<void(int from, int to, Bytes bytes)>& visit) const;

private:
    struct Message {
        int from, to;
        Bytes bytes;
    };
    const Algorithm& algorithm_;
    Call call_;
    std::vector<Message> messages_;
    std::vector<Bytes> loads_;
    Bytes hops_ = 0;
};

// Of algorithms that send to neighbours on a torus: bytes that the call's rank sends over each of its links.
std::vector<Bytes> loads_of_neighbours(const Algorithm& algorithm, const Call& call);
// Of algorithms that send to everybody: where to, as ranks seen from rank 0, in order.
std::vector<int> displacements_of(const Algorithm& algorithm, const Call& call);

}  // namespace kumihimo::collectives::test
