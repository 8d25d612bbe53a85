#include "mpiio/file/external.hpp"

#include <algorithm>

namespace kumihimo::mpiio {

namespace {

constexpr char representation[] = "external32";
constexpr MPI_Count most_bytes_of_a_call = MPI_Count{1} << 28;  // counts are int

// Calls step(element, elements) for portions that MPI's int counts can tell.
template <typename Step>
void in_portions(MPI_Count count, MPI_Datatype type, Step&& step) {
    const MPI_Count portion = std::max<MPI_Count>(1, most_bytes_of_a_call / std::max<Index>(1, external_size(type)));
    for (MPI_Count first = 0; first < count; first += portion) step(first, std::min(portion, count - first));
}

MPI_Aint extent_of(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

}  // namespace

Index external_size(MPI_Datatype type) {
    MPI_Aint bytes = 0;
    MPI_Pack_external_size(representation, 1, type, &bytes);
    return bytes;
}

void pack_external(const void* from, MPI_Count count, MPI_Datatype type, std::byte* to) {
    const MPI_Aint extent = extent_of(type), size = external_size(type);
    in_portions(count, type, [&](MPI_Count first, MPI_Count elements) {
        MPI_Aint position = 0;
        MPI_Pack_external(representation, static_cast<const std::byte*>(from) + first * extent, static_cast<int>(elements),
                          type, to + first * size, elements * size, &position);
    });
}

void unpack_external(const std::byte* from, MPI_Count count, MPI_Datatype type, void* to) {
    const MPI_Aint extent = extent_of(type), size = external_size(type);
    in_portions(count, type, [&](MPI_Count first, MPI_Count elements) {
        MPI_Aint position = 0;
        MPI_Unpack_external(representation, from + first * size, elements * size, &position,
                            static_cast<std::byte*>(to) + first * extent, static_cast<int>(elements), type);
    });
}

}  // namespace kumihimo::mpiio
