// MPI datatypes that are freed when nobody needs them any more. MPI's counts are ints; those here have 64 bits.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace kumihimo::base {

class Datatype {
public:
    // `count` elements of an MPI datatype of the user's or of MPI's, in a row.
    static Datatype row(MPI_Datatype element, std::int64_t count);
    // `count` such rows, `stride` bytes apart.
    static Datatype rows(MPI_Datatype element, std::int64_t length, std::int64_t count, std::int64_t stride);
    static Datatype sequence(const std::vector<Datatype>& parts, const std::vector<MPI_Aint>& places);
    Datatype repeated(std::int64_t count, std::int64_t stride) const;  // stride: in bytes
    Datatype committed() &&;

    Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    ~Datatype() {
        if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
    }
    operator MPI_Datatype() const { return type_; }

private:
    explicit Datatype(MPI_Datatype type) : type_(type) {}
    static Datatype rows_backwards(MPI_Datatype element, std::int64_t count);

    MPI_Datatype type_;
};

}  // namespace kumihimo::base
