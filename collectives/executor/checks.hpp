// What all entries of collective functions ask of their arguments.
#pragma once

#include "collectives/executor/region.hpp"

namespace kumihimo::collectives::execute {

inline bool wrong(int count, MPI_Datatype type) {
    return count < 0 || type == MPI_DATATYPE_NULL;
}

inline bool wrong(const int counts[], MPI_Datatype type, int ranks) {
    if (counts == nullptr || type == MPI_DATATYPE_NULL) return true;
    for (int i = 0; i < ranks; ++i)
        if (counts[i] < 0) return true;
    return false;
}

// What a rank contributes or gets apart from the blocks of all: its size where the argument says so, else (in place) the size
// of its block.
inline Region block_region(const void* memory, int count, MPI_Datatype type) {
    return memory == MPI_IN_PLACE ? Region() : Region(memory, type, count);
}

}  // namespace kumihimo::collectives::execute
