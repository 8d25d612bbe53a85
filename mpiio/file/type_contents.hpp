// How a datatype was made: the arguments of its constructor (MPI 3.1, 4.1.13; with large counts MPI 4.0, 5.1.13).
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/range.hpp"

namespace kumihimo::mpiio {

using sets::Index;

// Whether a type has no contents: named, or made by MPI_Type_create_f90_*. Such a type is never freed.
bool is_predefined(MPI_Datatype type);

// Arguments are read in the order of the constructor's, whatever the MPI library keeps them in: MPI has one array of integers,
// one of addresses and, for types made with large counts, a third one that replaces parts of both.
class TypeContents {
public:
    explicit TypeContents(MPI_Datatype type);
    ~TypeContents();
    TypeContents(const TypeContents&) = delete;
    TypeContents& operator=(const TypeContents&) = delete;

    int combiner() const { return combiner_; }
    const std::vector<MPI_Datatype>& types() const { return types_; }  // the constructor's; they live as long as this object

    int flag() { return integers_[next_integer_++]; }  // what is an int in every constructor: ranks, orders, distributions
    std::vector<int> flags(Index count);
    Index number();   // what is an int, or a large count: counts, block lengths, displacements in elements
    Index address();  // what is an address, or a large count: displacements in bytes, bounds
    std::vector<Index> numbers(Index count);
    std::vector<Index> addresses(Index count);

private:
    Index large_count() { return large_counts_[next_large_count_++]; }

    int combiner_ = MPI_COMBINER_NAMED;
    std::vector<int> integers_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Count> large_counts_;  // of types made with large counts, else empty
    std::vector<MPI_Datatype> types_;
    std::size_t next_integer_ = 0, next_address_ = 0, next_large_count_ = 0;
};

}  // namespace kumihimo::mpiio
