#include "runtime/transport/mpi/datatypes.hpp"

#include <algorithm>

#include "kumihimo/generated.h"
#include "runtime/transport/mpi/window.hpp"

namespace kumihimo::transport::mpi {

MPI_Datatype datatype_of(int type) {
    switch (type) {
        case XMP_TYPE_CHAR:  // signed, as on all machines that we know; MPI_CHAR is text
        case XMP_TYPE_SCHAR:
            return MPI_SIGNED_CHAR;
        case XMP_TYPE_UCHAR:
            return MPI_UNSIGNED_CHAR;
        case XMP_TYPE_SHORT:
            return MPI_SHORT;
        case XMP_TYPE_USHORT:
            return MPI_UNSIGNED_SHORT;
        case XMP_TYPE_INT:
            return MPI_INT;
        case XMP_TYPE_UINT:
            return MPI_UNSIGNED;
        case XMP_TYPE_LONG:
            return MPI_LONG;
        case XMP_TYPE_ULONG:
            return MPI_UNSIGNED_LONG;
        case XMP_TYPE_LONGLONG:
            return MPI_LONG_LONG;
        case XMP_TYPE_ULONGLONG:
            return MPI_UNSIGNED_LONG_LONG;
        case XMP_TYPE_FLOAT:
            return MPI_FLOAT;
        case XMP_TYPE_DOUBLE:
            return MPI_DOUBLE;
        case XMP_TYPE_LONGDOUBLE:
            return MPI_LONG_DOUBLE;
        case XMP_TYPE_FLOAT_COMPLEX:
            return MPI_C_FLOAT_COMPLEX;
        case XMP_TYPE_DOUBLE_COMPLEX:
            return MPI_C_DOUBLE_COMPLEX;
        case XMP_TYPE_LONGDOUBLE_COMPLEX:
            return MPI_C_LONG_DOUBLE_COMPLEX;
        default:
            return MPI_DATATYPE_NULL;
    }
}

MPI_Datatype unsigned_of(std::size_t bytes) {
    switch (bytes) {
        case 8:
            return MPI_UINT64_T;
        case 4:
            return MPI_UINT32_T;
        case 2:
            return MPI_UINT16_T;
        default:
            return MPI_UINT8_T;
    }
}

namespace {

MPI_Datatype make_type(const Shape& shape, const std::array<std::ptrdiff_t, Shape::most_rank>& strides, MPI_Datatype unit,
                       std::size_t unit_bytes) {
    int run = static_cast<int>(shape.element_bytes / unit_bytes);
    MPI_Datatype type = unit;
    for (int d = shape.rank - 1; d >= 0; --d) {
        MPI_Datatype outer = MPI_DATATYPE_NULL;
        check(MPI_Type_create_hvector(static_cast<int>(shape.count[d]), run, strides[d], type, &outer), "making a datatype");
        if (type != unit) MPI_Type_free(&type);
        type = outer;
        run = 1;
    }
    check(MPI_Type_commit(&type), "making a datatype");
    return type;
}

}  // namespace

MPI_Datatype Datatypes::of(const Shape& shape, const std::array<std::ptrdiff_t, Shape::most_rank>& strides, MPI_Datatype unit,
                           std::size_t unit_bytes) {
    const auto same = [&](const Kept& kept) {
        return kept.rank == shape.rank && kept.element_bytes == shape.element_bytes && kept.unit == unit &&
               std::equal(kept.count.begin(), kept.count.begin() + shape.rank, shape.count.begin()) &&
               std::equal(kept.stride.begin(), kept.stride.begin() + shape.rank, strides.begin());
    };
    ++calls_;
    const auto found = std::find_if(kept_.begin(), kept_.end(), same);
    if (found != kept_.end()) {
        found->used = calls_;
        return found->type;
    }
    if (kept_.size() == most) drop_half();
    const MPI_Datatype type = make_type(shape, strides, unit, unit_bytes);
    kept_.push_back({unit, shape.rank, shape.element_bytes, shape.count, strides, type, calls_});
    return type;
}

// Those that were not used for longest.
void Datatypes::drop_half() {
    complete_();
    const auto middle = kept_.begin() + most / 2;
    std::nth_element(kept_.begin(), middle, kept_.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
    for (auto old = middle; old != kept_.end(); ++old) MPI_Type_free(&old->type);
    kept_.erase(middle, kept_.end());
}

Datatypes::~Datatypes() {
    for (Kept& kept : kept_) MPI_Type_free(&kept.type);
}

}  // namespace kumihimo::transport::mpi
