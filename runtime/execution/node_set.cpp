#include "runtime/execution/node_set.hpp"

#include <algorithm>

#include "base/communicator.hpp"
#include "base/completion.hpp"
#include "base/hosts.hpp"
#include "runtime/execution/world.hpp"

namespace kumihimo::execution {

namespace {

// The common distance of neighbours, 0 if there is none. One rank counts as a progression of step 1.
int common_stride(const std::vector<int>& ranks) {
    if (ranks.size() < 2) return 1;
    const int stride = ranks[1] - ranks[0];
    for (std::size_t i = 2; i < ranks.size(); i++)
        if (ranks[i] - ranks[i - 1] != stride) return 0;
    return stride;
}

// Tells creations of different sets apart that happen at the same time.
int tag_of(const std::vector<int>& ranks) {
    unsigned hash = 2166136261u;
    for (const int rank : ranks) hash = (hash ^ static_cast<unsigned>(rank)) * 16777619u;
    return static_cast<int>(hash % 32749u);  // every MPI allows tags up to 32767
}

}  // namespace

NodeSet::NodeSet(std::vector<int> world_ranks) : ranks_(std::move(world_ranks)), stride_(common_stride(ranks_)) {
    if (stride_ == 0)
        for (int number = 0; number < size(); number++) numbers_.emplace(world_rank(number), number);
    my_number_ = number_of(World::get().rank);
}

NodeSet::~NodeSet() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (communicator_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&communicator_);
}

int NodeSet::number_of(int rank) const {
    if (stride_ == 0) {
        const auto found = numbers_.find(rank);
        return found == numbers_.end() ? -1 : found->second;
    }
    if (ranks_.empty() || (rank - ranks_.front()) % stride_ != 0) return -1;
    const int number = (rank - ranks_.front()) / stride_;
    return number >= 0 && number < size() ? number : -1;
}

bool NodeSet::subset_of(const NodeSet& other) const {
    if (this == &other) return true;
    return std::all_of(ranks_.begin(), ranks_.end(), [&](int rank) { return other.number_of(rank) >= 0; });
}

MPI_Comm NodeSet::communicator() const {
    if (communicator_ != MPI_COMM_NULL || !member()) return communicator_;
    const MPI_Comm entire = World::get().communicator;
    if (size() == 1) {
        communicator_ = base::copy_of(MPI_COMM_SELF);
    } else if (size() == World::get().size && stride_ == 1) {
        return entire;
    } else {
        MPI_Group all, mine;
        MPI_Comm_group(entire, &all);
        MPI_Group_incl(all, size(), ranks_.data(), &mine);
        base::meet(entire, ranks_, tag_of(ranks_));
        communicator_ = base::part_of(entire, mine, tag_of(ranks_));
        base::inherit_hosts(entire, communicator_);
        MPI_Group_free(&mine);
        MPI_Group_free(&all);
    }
    return communicator_;
}

}  // namespace kumihimo::execution
