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

// Elements that PnetCDF moves in one piece, and where they lie in the array's block: one entry for each of the variable's
// dimensions; steps are in bytes.
struct Box {
    std::vector<MPI_Offset> start, count, stride;
    std::ptrdiff_t offset = 0;
    std::vector<std::ptrdiff_t> steps;
    Index elements() const;
};

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

// How all nodes call PnetCDF: decided by the mapping and the section alone, never by what one node owns.
enum class Form { vara, vars, varn };

// Section positions 0, 1, ... along an array's dimension lie at start + position * stride of the variable's dimension.
struct Piece {
    xmpio::Section section;
    Place place;
};

struct Plan {
    std::vector<int> axes;  // for each dimension of the variable, the array's in file order; -1: none
    std::vector<Piece> pieces;
    Form form = Form::vara;
    bool records = false;  // along the variable's first dimension
};

// Throws base::Error if the position does not fit the ranks.
Plan make_plan(const execution::Array& array, const Target& target, int variable_rank, bool records);

// The boxes of the node at `coordinates`; one at most unless the form is varn.
std::vector<Box> boxes(const execution::Array& array, const Plan& plan, const std::vector<Index>& coordinates);

// Copies between an array's block and consecutive elements, in the box's order.
void pack(const Box& box, std::size_t element_bytes, const std::byte* block, std::byte* packed);
void unpack(const Box& box, std::size_t element_bytes, const std::byte* packed, std::byte* block);
bool contiguous(const Box& box, std::size_t element_bytes);  // in memory, in the box's order
bool ascending(const Box& box);                              // steps that an MPI datatype with file order can describe

// Committed; relative to the block, in the order of the boxes and of each box's elements.
MPI_Datatype memory_type(const std::vector<Box>& boxes, MPI_Datatype element, std::size_t element_bytes);

}  // namespace kumihimo::xmpnc
