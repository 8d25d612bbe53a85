// An ordered set of MPI processes: what directives are executed by, and what node arrays are laid over.
#pragma once

#include <mpi.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace kumihimo::execution {

// Ranks of the entire set, in the order of the set's own numbers. The communicator is made at first use, by its members only.
class NodeSet : public std::enable_shared_from_this<NodeSet> {
public:
    explicit NodeSet(std::vector<int> world_ranks);  // order = numbers in the set
    ~NodeSet();
    NodeSet(const NodeSet&) = delete;
    NodeSet& operator=(const NodeSet&) = delete;

    int size() const { return static_cast<int>(ranks_.size()); }
    int world_rank(int number) const { return ranks_[static_cast<std::size_t>(number)]; }
    const std::vector<int>& world_ranks() const { return ranks_; }
    int my_number() const { return my_number_; }  // 0-based; -1: this node is not in it
    bool member() const { return my_number_ >= 0; }
    int number_of(int world_rank) const;  // -1 if absent
    bool subset_of(const NodeSet& other) const;
    bool same_ranks(const NodeSet& other) const { return ranks_ == other.ranks_; }
    MPI_Comm communicator() const;  // collective among the members at first use; equal sets share one

private:
    std::vector<int> ranks_;
    std::unordered_map<int, int> numbers_;  // entire rank -> number; empty where ranks are an arithmetic progression
    int stride_ = 0;                        // of that progression; 0: none
    int my_number_ = -1;
    mutable MPI_Comm communicator_ = MPI_COMM_NULL;
};
using NodeSetPointer = std::shared_ptr<const NodeSet>;

}  // namespace kumihimo::execution
