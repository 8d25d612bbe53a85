// Where a section of an array lies in a variable, and what of it one node moves: PnetCDF's start, count and stride.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "runtime/xmpio/section.hpp"

namespace kumihimo::xmpnc {

using sets::Index;

// The whole section in the variable: one entry for each of the variable's dimensions. Equal on all nodes.
struct Place {
    std::vector<MPI_Offset> start, count, stride;
    bool empty() const;
    std::vector<MPI_Offset> last() const;  // indices of the last element; precondition: not empty
};

// Elements that PnetCDF moves in one piece, and where they lie in the array's block. steps are in bytes, slowest first.
struct Box {
    std::vector<MPI_Offset> start, count, stride;
    std::ptrdiff_t offset = 0;
    std::vector<std::ptrdiff_t> steps;
    Index elements() const;
};

// How all nodes call PnetCDF: decided by the mapping and the section alone, never by what one node owns.
enum class Form { vara, vars, varn };

// Section positions 0, 1, ... along array dimension i (file order) lie at start + position * stride of the variable's
// dimension leading + i.
struct Plan {
    xmpio::Section section;
    Place place;
    Form form = Form::vara;
};

// Throws base::Error if the position does not fit the ranks.
Plan make_plan(const execution::Array& array, const xmp_range_t* rp, int variable_rank, const MPI_Offset* fstart,
               const MPI_Offset* fstride);

// The boxes of the node at `coordinates`; one at most unless the form is varn.
std::vector<Box> boxes(const execution::Array& array, const Plan& plan, const std::vector<Index>& coordinates);

// Copies between an array's block and consecutive elements, in the box's order.
void pack(const Box& box, std::size_t element_bytes, const std::byte* block, std::byte* packed);
void unpack(const Box& box, std::size_t element_bytes, const std::byte* packed, std::byte* block);
bool contiguous(const Box& box, std::size_t element_bytes);  // in memory, in the box's order
bool ascending(const Box& box);                              // steps that an MPI datatype with file order can describe
MPI_Datatype memory_type(const Box& box, MPI_Datatype element,
                         std::size_t element_bytes);  // committed; relative to block + offset

}  // namespace kumihimo::xmpnc
