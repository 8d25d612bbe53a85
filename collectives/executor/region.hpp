// The program's memory of a collective operation as plain bytes, which is all that schedules know. Elements side by side, as of
// all predefined types, are used where they are; others are packed into memory of our own, and unpacked. Packed data of a
// machine whose processors are alike are the elements' bytes in order (both MPI families).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collectives/call.hpp"

namespace kumihimo::collectives {

// Whether elements of the type lie side by side without gaps: a predefined type, or a number of such side by side. All ranks
// must see the same only where the standard wants equal types (reductions); data that are moved may be described differently
// by each rank.
bool is_plain(MPI_Datatype type);
bool is_predefined(MPI_Datatype type);
Bytes size_of(MPI_Datatype type);

class Region {
public:
    Region() = default;
    // blocks blocks of count elements, side by side.
    Region(const void* memory, MPI_Datatype type, int count, int blocks = 1);
    // As the v-forms say; displacements in extents of the type.
    Region(const void* memory, MPI_Datatype type, const int* counts, const int* displacements, int blocks);

    std::byte* bytes() { return packed_.empty() ? memory_ : packed_.data(); }
    Blocks blocks() const;
    void load();   // from the program's memory: before the schedule runs, of data that it reads or leaves in place
    void store();  // to the program's memory: afterwards

private:
    struct Block {
        std::byte* memory;
        int count;
    };
    template <typename Move>
    void move(Move&& move);

    std::byte* memory_ = nullptr;
    MPI_Datatype type_ = MPI_BYTE;
    Bytes block_bytes_ = 0;
    std::vector<Bytes> sizes_, offsets_;
    std::vector<Block> elements_;  // of packed regions
    std::vector<std::byte> packed_;
};

}  // namespace kumihimo::collectives
