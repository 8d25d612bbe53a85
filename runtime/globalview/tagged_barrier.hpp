// A barrier that several nonblocking operations of one team can have under way at once, each with a tag of its own: nodes reach
// their ends in different orders, which MPI_Ibarrier does not allow. By dissemination: in round k a node tells the one 2^k
// behind it.
#pragma once

#include <mpi.h>

#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Team;

class TaggedBarrier {
public:
    TaggedBarrier(Team& team, int tag) : team_(team), tag_(tag) {}

    // Enters at the first call; true once all members have entered.
    bool test() {
        while (distance_ < team_.size()) {
            if (!begun_) begin_round();
            int done = 0;
            MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE);
            if (!done) return false;
            distance_ *= 2;
            begun_ = false;
        }
        return true;
    }

private:
    void begin_round() {
        const int size = team_.size(), me = team_.my_number();
        MPI_Irecv(nullptr, 0, MPI_BYTE, (me - distance_ + size) % size, tag_, team_.communicator(), &requests_[0]);
        MPI_Isend(nullptr, 0, MPI_BYTE, (me + distance_) % size, tag_, team_.communicator(), &requests_[1]);
        begun_ = true;
    }

    Team& team_;
    int tag_;
    int distance_ = 1;
    bool begun_ = false;
    MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace kumihimo::globalview
