// PnetCDF looks into a file by open(2) before it opens it by MPI-IO, and by access(2) and truncate(2) before it creates it.
// Files that those do not reach - of another machine, or that lie in several - are looked into and emptied here instead: its
// functions (pnetcdf.h) are called by the names that all libraries share, so these definitions come first. Other files go on to
// PnetCDF's own.
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "base/collective.hpp"
#include "base/guarded.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/interpose/opening.hpp"

namespace kumihimo::mpiio {

namespace {

// As pnetcdf.h says, which need not be there where this is built.
enum Format : int { unknown = -1, netcdf4 = 3 };
enum Answer : int { fine = 0, file_exists = -35, not_permitted = -77, unknown_error = -204, no_such_file = -220 };
constexpr int no_clobber = 4;

constinit Next<int(const char*, int*)> next_inquiry{"ncmpi_inq_file_format"};
constinit Next<int(MPI_Comm, const char*, int, MPI_Info, int*)> next_creation{"ncmpi_create"};

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
        case MPI_ERR_FILE_EXISTS:
            return file_exists;
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

// An empty file is there afterwards, or an answer says why not.
int make_empty(const char* name, int mode, MPI_Info info) {
    const int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | ((mode & no_clobber) != 0 ? MPI_MODE_EXCL : 0);
    MPI_File file = MPI_FILE_NULL;
    int code = MPI_File_open(MPI_COMM_SELF, name, amode, info, &file);
    if (code != MPI_SUCCESS) return answer_of(code);
    code = MPI_File_set_size(file, 0);
    const int closed = MPI_File_close(&file);
    return answer_of(code != MPI_SUCCESS ? code : closed);
}

// PnetCDF takes what stands behind the first colon for a file of this machine, and empties that if there is one: a metafile, as
// a rule.
bool would_be_taken_for_one_here(const char* name) {
    const char* const colon = std::strchr(name, ':');
    return access(colon == nullptr ? name : colon + 1, F_OK) == 0;
}

int create_elsewhere(MPI_Comm comm, const char* name, int mode, MPI_Info info, int* dataset) {
    struct {
        int answer = fine;
        bool disguise = false;
    } known;
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) known = {make_empty(name, mode, info), would_be_taken_for_one_here(name)};
    base::broadcast(comm, 0, known, base::Waiting::long_);
    if (known.answer != fine) return known.answer;
    const std::string disguised = "kumihimo:" + std::string(name);
    return next_creation(comm, known.disguise ? disguised.c_str() : name, mode, info, dataset);
}

}  // namespace

}  // namespace kumihimo::mpiio

extern "C" __attribute__((visibility("default"))) int ncmpi_inq_file_format(const char* name, int* format) {
    using namespace kumihimo::mpiio;
    return kumihimo::base::guarded("ncmpi_inq_file_format", MPI_COMM_WORLD,
                                   [&] { return is_elsewhere(name) ? look_into(name, format) : next_inquiry(name, format); });
}

extern "C" __attribute__((visibility("default"))) int ncmpi_create(MPI_Comm comm, const char* name, int mode, MPI_Info info,
                                                                   int* dataset) {
    using namespace kumihimo::mpiio;
    return kumihimo::base::guarded("ncmpi_create", comm, [&] {
        return is_elsewhere(name) ? create_elsewhere(comm, name, mode, info, dataset)
                                  : next_creation(comm, name, mode, info, dataset);
    });
}
