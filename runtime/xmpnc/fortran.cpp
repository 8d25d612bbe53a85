// What the Fortran module xmpnf90 cannot say to the C functions itself: handles of MPI, and sections of arrays.
#include <algorithm>
#include <vector>

#include "kumihimo/xmpnc.h"
#include "runtime/xmpnc/access.hpp"
#include "runtime/xmpnc/dataset.hpp"

using namespace kumihimo::xmpnc;

namespace {

// Sections of one array from the numbers of all their dimensions, in Fortran's order; a null list: the whole array.
class Ranges {
public:
    Ranges(int sections, int elements, const long long* first, const long long* length, const long long* step) {
        const int rank = sections == 0 ? 0 : elements / sections;
        for (int i = 0; i < sections; ++i) {
            list_.push_back(xmp_allocate_range(rank));
            for (int d = 0; d < rank; ++d, ++first, ++length, ++step)
                xmp_set_range(list_.back(), d + 1, *first, *length, *step);
        }
    }
    Ranges(const Ranges&) = delete;
    ~Ranges() {
        for (xmp_range_t* const range : list_) xmp_free_range(range);
    }
    xmp_range_t* const* list() const { return list_.empty() ? nullptr : list_.data(); }

private:
    std::vector<xmp_range_t*> list_;
};

// 0 is no handle of MPICH, and Open MPI's MPI_INFO_NULL: it means no hints with both.
MPI_Info hints(int info) {
    return info == 0 ? MPI_INFO_NULL : MPI_Info_f2c(info);
}

bool has_request(Kind kind) {
    return kind != Kind::put && kind != Kind::get;
}

// kind: as generate_fortran.py numbers them.
Operation operation_of(int kind, int all) {
    static const char* const names[][2] = {{"xmpnf90_put_var", "xmpnf90_put_var_all"},
                                           {"xmpnf90_get_var", "xmpnf90_get_var_all"},
                                           {"xmpnf90_iput_var", ""},
                                           {"xmpnf90_iget_var", ""},
                                           {"xmpnf90_bput_var", ""}};
    return {names[kind][all != 0], static_cast<Kind>(kind), all != 0, XMP_TYPE_OTHER};
}

// A start, stride or map has to have as many entries as the variable dimensions: an error code otherwise. rank -1: none is
// given.
int wrong_rank(const Operation& operation, int ncid, int varid, int rank) {
    int dimensions = 0;
    if (rank == -1 || ncmpi_inq_varndims(ncid, varid, &dimensions) != NC_NOERR || dimensions == rank) return NC_NOERR;
    return told(operation.function,
                Failure{NC_EINVAL, "start, stride or map have " + std::to_string(rank) + " entries, the variable has " +
                                       std::to_string(dimensions) + " dimensions"},
                true);
}

const MPI_Offset* offsets(const long long* numbers) {
    static_assert(sizeof(MPI_Offset) == sizeof(long long));
    return reinterpret_cast<const MPI_Offset*>(numbers);
}

}  // namespace

extern "C" {

int XMP_Fortran_nc_create(int comm, const char* path, int cmode, int info, int* ncidp) {
    return xmpnc_create(MPI_Comm_f2c(comm), path, cmode, hints(info), ncidp);
}

int XMP_Fortran_nc_open(int comm, const char* path, int omode, int info, int* ncidp) {
    return xmpnc_open(MPI_Comm_f2c(comm), path, omode, hints(info), ncidp);
}

int XMP_Fortran_nc_delete(const char* filename, int info) {
    return xmpnc_delete(filename, hints(info));
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

// first, length, step: of all dimensions of all sections, `elements` each; null: the whole array. start, stride and map in file
// order, from 0, with `rank` entries (-1: none given).
int XMP_Fortran_nc_access(int kind, int all, int ncid, int varid, xmp_desc_t array, int* req, int sections, int elements,
                          const long long* first, const long long* length, const long long* step, int rank,
                          const long long* start, const long long* stride, const long long* map) {
    const Operation operation = operation_of(kind, all);
    if (const int code = wrong_rank(operation, ncid, varid, rank)) return code;
    Ranges ranges(first == nullptr ? 0 : sections, elements, first, length, step);
    return access(operation, ncid,
                  Target{.varid = varid,
                         .array = array,
                         .ranges = ranges.list(),
                         .sections = sections,
                         .start = offsets(start),
                         .stride = offsets(stride),
                         .map = offsets(map)},
                  has_request(operation.kind) ? req : nullptr);
}

// start: `rank` numbers for each array, in Fortran's order, from 0.
int XMP_Fortran_nc_access_each(int kind, int all, int ncid, int num, const int* varids, const xmp_desc_t* arrays, int rank,
                               const long long* start) {
    std::vector<std::vector<MPI_Offset>> starts(num);
    for (int i = 0; i < num && start != nullptr; ++i) {
        int dimensions = 0;
        ncmpi_inq_varndims(ncid, varids[i], &dimensions);
        if (const int code = dimensions > rank ? wrong_rank(operation_of(kind, all), ncid, varids[i], rank) : NC_NOERR)
            return code;
        starts[i].assign(start + i * rank, start + i * rank + dimensions);
        std::reverse(starts[i].begin(), starts[i].end());
    }
    std::vector<const MPI_Offset*> places;
    for (const auto& place : starts) places.push_back(place.data());
    const Lists lists{.varids = varids, .arrays = arrays, .starts = start == nullptr ? nullptr : places.data()};
    return access(operation_of(kind, all), ncid, num, lists);
}

int XMP_Fortran_nc_inq_bput_size(int ncid, int varid, xmp_desc_t array, int elements, const long long* first,
                                 const long long* length, const long long* step, MPI_Offset* bytes) {
    Ranges range(first != nullptr, elements, first, length, step);
    return xmpnc_inq_bput_size(ncid, varid, array, range.list() == nullptr ? nullptr : range.list()[0], bytes);
}

}  // extern "C"
