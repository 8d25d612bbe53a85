// What the Fortran module xmpnf90 cannot say to the C functions itself: handles of MPI, and sections of arrays.
#include <memory>

#include "kumihimo/xmpnc.h"

namespace {

using Range = std::unique_ptr<xmp_range_t, decltype(&xmp_free_range)>;

// first, length, step of each dimension of a section, in Fortran's order; null: the whole array.
Range range_of(int rank, const long long* first, const long long* length, const long long* step) {
    Range range(first != nullptr ? xmp_allocate_range(rank) : nullptr, &xmp_free_range);
    for (int d = 0; range && d < rank; ++d) xmp_set_range(range.get(), d + 1, first[d], length[d], step[d]);
    return range;
}

}  // namespace

extern "C" {

int XMP_Fortran_nc_create(int comm, const char* path, int cmode, int info, int* ncidp) {
    return xmpnc_create(MPI_Comm_f2c(comm), path, cmode, MPI_Info_f2c(info), ncidp);
}

int XMP_Fortran_nc_open(int comm, const char* path, int omode, int info, int* ncidp) {
    return xmpnc_open(MPI_Comm_f2c(comm), path, omode, MPI_Info_f2c(info), ncidp);
}

int XMP_Fortran_nc_delete(const char* filename, int info) {
    return xmpnc_delete(filename, MPI_Info_f2c(info));
}

int XMP_Fortran_nc_inq_file_info(int ncid, int* info_used) {
    MPI_Info info = MPI_INFO_NULL;
    const int status = xmpnc_inq_file_info(ncid, &info);
    if (info_used != nullptr) *info_used = MPI_Info_c2f(info);
    return status;
}

int XMP_Fortran_nc_get_file_info(int ncid, int* info_used) {
    return XMP_Fortran_nc_inq_file_info(ncid, info_used);
}

// start and stride in file order, from 0; null start: the array's own indices.
int XMP_Fortran_nc_access(int writes, int all, int ncid, int varid, xmp_desc_t array, int rank, const long long* first,
                          const long long* length, const long long* step, const long long* start, const long long* stride) {
    const Range range = range_of(rank, first, length, step);
    if (first != nullptr && !range) return NC_EINVAL;
    if (start == nullptr) {
        if (stride != nullptr) return NC_EINVAL;
        const auto access = writes ? all ? xmpnc_put_varas_all : xmpnc_put_varas : all ? xmpnc_get_varas_all : xmpnc_get_varas;
        return access(ncid, varid, array, range.get());
    }
    static_assert(sizeof(MPI_Offset) == sizeof(long long));
    const auto* const from = reinterpret_cast<const MPI_Offset*>(start);
    const auto* const by = reinterpret_cast<const MPI_Offset*>(stride);
    const auto access = writes ? all ? xmpnc_put_varx_all : xmpnc_put_varx : all ? xmpnc_get_varx_all : xmpnc_get_varx;
    return access(ncid, varid, from, by, array, range.get());
}

}  // extern "C"
