// The element types that arrays and netCDF have in common.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "kumihimo/generated.h"
#include "kumihimo/xmpnc.h"

namespace kumihimo::xmpnc {

struct ElementType {
    int type;  // of a descriptor
    MPI_Datatype mpi;
    nc_type external;  // the same type in a file
};

// Null if netCDF has none.
inline const ElementType* element_type(int type) {
    static const ElementType table[] = {
        {XMP_TYPE_CHAR, MPI_CHAR, NC_CHAR},
        {XMP_TYPE_SCHAR, MPI_SIGNED_CHAR, NC_BYTE},
        {XMP_TYPE_UCHAR, MPI_UNSIGNED_CHAR, NC_UBYTE},
        {XMP_TYPE_SHORT, MPI_SHORT, NC_SHORT},
        {XMP_TYPE_USHORT, MPI_UNSIGNED_SHORT, NC_USHORT},
        {XMP_TYPE_INT, MPI_INT, NC_INT},
        {XMP_TYPE_UINT, MPI_UNSIGNED, NC_UINT},
        {XMP_TYPE_LONG, MPI_LONG, sizeof(long) == 4 ? NC_INT : NC_INT64},
        {XMP_TYPE_ULONG, MPI_UNSIGNED_LONG, sizeof(long) == 4 ? NC_UINT : NC_UINT64},
        {XMP_TYPE_FLOAT, MPI_FLOAT, NC_FLOAT},
        {XMP_TYPE_DOUBLE, MPI_DOUBLE, NC_DOUBLE},
        {XMP_TYPE_LONGLONG, MPI_LONG_LONG, NC_INT64},
        {XMP_TYPE_ULONGLONG, MPI_UNSIGNED_LONG_LONG, NC_UINT64},
    };
    for (const ElementType& one : table)
        if (one.type == type) return &one;
    return nullptr;
}

inline std::size_t bytes_of(nc_type type) {
    switch (type) {
        case NC_BYTE:
        case NC_CHAR:
        case NC_UBYTE:
            return 1;
        case NC_SHORT:
        case NC_USHORT:
            return 2;
        case NC_INT:
        case NC_UINT:
        case NC_FLOAT:
            return 4;
        default:
            return 8;
    }
}

}  // namespace kumihimo::xmpnc
