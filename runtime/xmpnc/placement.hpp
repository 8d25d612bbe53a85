// Where sections of an array lie in a variable: what all nodes agree on.
#pragma once

#include <mpi.h>

#include <vector>

#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpnc {

using sets::Index;

// What a caller names: one array, the sections of it that are moved, and their place in a variable.
struct Target {
    int varid = -1;
    const void* array = nullptr;                 // its descriptor
    bool entire = false;                         // the array has to be the variable's size
    const xmp_range_t* const* ranges = nullptr;  // of the sections; null, as each may be: the whole array
    int sections = 1;
    const MPI_Offset* start = nullptr;   // in the variable; null: the section's own indices
    const MPI_Offset* stride = nullptr;  // null: 1
    const MPI_Offset* map = nullptr;     // the array's dimension along each one of the variable's, in file order; -1: none
};

// One dimension of the variable: position k of the section's range lies at index start + k * stride.
struct Along {
    int dimension = -1;          // of the array; -1: none
    sets::Range range{0, 1, 1};  // of the section in it
    MPI_Offset start = 0, stride = 1;
    MPI_Offset last() const { return start + (range.count - 1) * stride; }
};
using Placement = std::vector<Along>;  // of one section, for each dimension of the variable

// How all nodes call PnetCDF: decided by the mapping and the sections alone, never by what one node owns.
enum class Form { vara, vars, varn };

struct Plan {
    std::vector<Placement> sections;  // those that are not empty
    Form form = Form::vara;
};

// Throws base::Error if the position does not fit the ranks.
Plan make_plan(const execution::Array& array, const Target& target, int variable_rank);

}  // namespace kumihimo::xmpnc
