#include "bench/measure/place.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/hosts.hpp"

namespace kumihimo::bench {

namespace {

int world_size() {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// MPI numbers the last axis fastest.
MPI_Comm torus(const std::vector<int>& shape) {
    const std::vector<int> extents(shape.rbegin(), shape.rend()), around(shape.size(), 1);
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(extents.size()), extents.data(), around.data(), 1, &comm);
    return comm;
}

}  // namespace

Place::Place(const std::vector<int>& shape, bool roots_in_turn)
    : shape_(shape.empty() ? std::vector<int>{world_size()} : shape), roots_in_turn_(roots_in_turn) {
    if (shape_.size() > 3) throw base::Error("a node shape has at most 3 axes");
    size_ = world_size();
    const long long nodes = std::accumulate(shape_.begin(), shape_.end(), 1LL, std::multiplies<long long>());
    if (nodes != size_)
        throw base::Error("the node shape has " + std::to_string(nodes) + " nodes, but there are " + std::to_string(size_) +
                          " ranks");
    comm_ = torus(shape_);
    MPI_Comm_rank(comm_, &rank_);
    const base::Crowd crowd = base::crowd_of(comm_);
    int crowded = crowd.nodes > crowd.processors;
    MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, comm_);
    crowded_ = crowded != 0;
    const std::vector<int>& hosts = base::hosts_of(comm_).host_of_rank;
    machines_ = static_cast<int>(std::set<int>(hosts.begin(), hosts.end()).size());
}

int Place::neighbour(int axis, int distance) const {
    int below = 1;  // ranks between neighbours along the axis
    for (int i = 0; i < axis; ++i) below *= shape_[i];
    const int extent = shape_[axis], mine = rank_ / below % extent;
    const int other = ((mine + distance) % extent + extent) % extent;
    return rank_ + (other - mine) * below;
}

void Place::meet() const {
    for (int distance = 1; distance < size_; distance *= 2)
        MPI_Sendrecv(nullptr, 0, MPI_BYTE, after(distance), 0, nullptr, 0, MPI_BYTE, after(-distance), 0, comm_,
                     MPI_STATUS_IGNORE);
}

}  // namespace kumihimo::bench
