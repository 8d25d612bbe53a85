// The bytes of a request, whose places in the file are a layout, as a file view.
#pragma once

#include <mpi.h>

#include <utility>

#include "iod/protocol/messages.hpp"

namespace kumihimo::mpiio::remote {

// A committed datatype, freed with it.
class Type {
public:
    explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
    Type(Type&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Type& operator=(Type&& other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    ~Type() {
        if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_;
};

bool is_one_block(const iod::Layout& layout);
Type view_of(const iod::Layout& layout);  // from the beginning of the file
// Of the layout's bytes, how many lie before the end of a file of so many: those up to the first that is not there.
std::size_t bytes_before(const iod::Layout& layout, iod::Offset end);

}  // namespace kumihimo::mpiio::remote
