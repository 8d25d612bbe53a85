// PnetCDF looks into a file by open(2) before it opens it by MPI-IO. Files that no open(2) reaches - of another machine - are
// looked into here instead: its function for that (pnetcdf.h, ncmpi_inq_file_format) is called by the name that all libraries
// share, so this definition comes first. Other files go on to PnetCDF's own.
#include <array>
#include <cstring>
#include <string_view>

#include "base/guarded.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/interpose/opening.hpp"

namespace kumihimo::mpiio {

namespace {

// As pnetcdf.h says, which need not be there where this is built.
enum Format : int { unknown = -1, netcdf4 = 3 };
enum Answer : int { fine = 0, not_permitted = -77, unknown_error = -204, no_such_file = -220 };

constinit Next<int(const char*, int*)> next_inquiry{"ncmpi_inq_file_format"};

using Beginning = std::array<char, 8>;

// CDF-1, CDF-2 and CDF-5 have that number as their format.
int format_of(const Beginning& bytes) {
    constexpr std::string_view classic = "CDF", hdf = "\211HDF\r\n\032\n";
    const std::string_view begin(bytes.data(), bytes.size());
    if (begin.starts_with(hdf)) return netcdf4;
    const int version = bytes[classic.size()];
    return begin.starts_with(classic) && (version == 1 || version == 2 || version == 5) ? version : unknown;
}

int answer_of(int code) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    switch (error_class) {
        case MPI_SUCCESS:
            return fine;
        case MPI_ERR_NO_SUCH_FILE:
            return no_such_file;
        case MPI_ERR_ACCESS:
            return not_permitted;
        default:
            return unknown_error;
    }
}

bool is_elsewhere(const char* name) {
    if (!concerns_us(MPI_COMM_SELF, name)) return false;
    const Result result = decide_on(name, MPI_INFO_NULL);
    const auto* const decision = std::get_if<Decision>(&result);
    return decision != nullptr && decision->served && find_engine(decision->served->engine)->elsewhere;
}

int look_into(const char* name, int* format) {
    MPI_File file = MPI_FILE_NULL;
    Beginning bytes{};
    int code = MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (code != MPI_SUCCESS) return answer_of(code);
    code = MPI_File_read_at(file, 0, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (code == MPI_SUCCESS && format != nullptr) *format = format_of(bytes);
    return answer_of(code);
}

}  // namespace

}  // namespace kumihimo::mpiio

extern "C" __attribute__((visibility("default"))) int ncmpi_inq_file_format(const char* name, int* format) {
    using namespace kumihimo::mpiio;
    return kumihimo::base::guarded("ncmpi_inq_file_format", MPI_COMM_WORLD,
                                   [&] { return is_elsewhere(name) ? look_into(name, format) : next_inquiry(name, format); });
}
