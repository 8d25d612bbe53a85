// The ranks in their node shape: a torus of one or more axes, the first axis fastest, as jobs are given to machines with such
// networks.
#pragma once

#include <mpi.h>

#include <vector>

namespace kumihimo::bench {

class Place {
public:
    // Collective. shape empty: one axis of all ranks. The MPI library may renumber the ranks, so that neighbours of the shape
    // are neighbours in the machine (MPI 4.0, 8.5.1). Throws base::Error where the shape does not hold all ranks.
    explicit Place(const std::vector<int>& shape, bool roots_in_turn = false);
    ~Place() { MPI_Comm_free(&comm_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    MPI_Comm comm() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    const std::vector<int>& shape() const { return shape_; }
    bool crowded() const { return crowded_; }  // some machine of the job has more ranks than processors
    int machines() const { return machines_; }

    // The root of the next call of an operation that has one.
    int root() const { return root_; }
    int roots() const { return roots_in_turn_ ? size_ : 1; }
    bool is_root() const { return rank_ == root_; }
    bool may_be_root() const { return rank_ == 0 || roots_in_turn_; }
    bool may_be_other() const { return rank_ != 0 || roots_in_turn_; }
    void next_call() const {
        if (roots_in_turn_) root_ = (root_ + 1) % size_;
    }

    int after(int distance) const { return ((rank_ + distance) % size_ + size_) % size_; }  // in the order of ranks, around
    int neighbour(int axis, int distance) const;  // along one axis of the shape, around

    // Returns when all ranks have come. By messages, since a library that serves MPI_Barrier is compared with one that does
    // not: both begin their calls alike.
    void meet() const;

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<int> shape_;
    int rank_ = 0, size_ = 1, machines_ = 1;
    bool crowded_ = false;
    bool roots_in_turn_ = false;
    mutable int root_ = 0;  // the same on all ranks, which make the same calls
};

}  // namespace kumihimo::bench
