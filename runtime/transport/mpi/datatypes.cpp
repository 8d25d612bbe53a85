#include "runtime/transport/mpi/datatypes.hpp"

#include <algorithm>

#include "kumihimo/generated.h"

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

base::Datatype make_type(const Correspondence& shape, sets::End end, MPI_Datatype unit, std::size_t unit_bytes) {
    const auto levels = shape.levels();
    const auto& innermost = levels.back();
    const sets::Index run = shape.run() / static_cast<sets::Index>(unit_bytes);
    base::Datatype type = base::Datatype::rows(unit, run, innermost.count, innermost.stride(end));
    for (auto level = levels.rbegin() + 1; level != levels.rend(); ++level)
        type = type.repeated(level->count, level->stride(end));
    return std::move(type).committed();
}

}  // namespace

MPI_Datatype Datatypes::of(const Correspondence& shape, sets::End end, MPI_Datatype unit, std::size_t unit_bytes) {
    const auto levels = shape.levels();
    const auto same = [&](const Kept& kept) {
        return kept.unit == unit && kept.run == shape.run() &&
               std::equal(kept.levels.begin(), kept.levels.end(), levels.begin(), levels.end(),
                          [end](const sets::Level& one, const sets::PairedLevel& other) {
                              return one.count == other.count && one.stride == other.stride(end);
                          });
    };
    ++calls_;
    const auto found = std::find_if(kept_.begin(), kept_.end(), same);
    if (found != kept_.end()) {
        found->used = calls_;
        return found->type;
    }
    if (kept_.size() == most) drop_half();
    Kept& kept = kept_.emplace_back(Kept{unit, shape.run(), {}, make_type(shape, end, unit, unit_bytes), calls_});
    for (const sets::PairedLevel& level : levels) kept.levels.push_back({level.count, level.stride(end)});
    return kept.type;
}

// Those that were not used for longest.
void Datatypes::drop_half() {
    complete_();
    const auto middle = kept_.begin() + most / 2;
    std::nth_element(kept_.begin(), middle, kept_.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
    kept_.erase(middle, kept_.end());
}

}  // namespace kumihimo::transport::mpi
