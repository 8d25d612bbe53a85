// The calls of PnetCDF that move a node's boxes: as a rule one, several where there are more bytes than an int can count.
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

namespace kumihimo::xmpnc {

class Calls {
public:
    struct One {
        std::vector<MPI_Offset> starts;         // of each piece all dimensions, one after the other
        std::vector<const MPI_Offset*> counts;  // of each piece
        const MPI_Offset* stride = nullptr;
        MPI_Offset first = 0, elements = 0;  // in the order of the boxes
    };

    // most: elements of one call. many: one call takes many boxes, without strides.
    Calls(MPI_Offset most, bool many) : most_(most), many_(many) {}

    // count and stride have to live as long as this.
    void add(const std::vector<MPI_Offset>& start, const std::vector<MPI_Offset>& count, const std::vector<MPI_Offset>& stride);

    std::vector<One> list;

private:
    void append(const std::vector<MPI_Offset>& start, const MPI_Offset* count, const MPI_Offset* stride, MPI_Offset elements);

    MPI_Offset most_;
    bool many_;
    std::deque<std::vector<MPI_Offset>> parts_;  // counts of boxes that were cut
};

}  // namespace kumihimo::xmpnc
