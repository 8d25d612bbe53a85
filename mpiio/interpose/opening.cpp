#include "mpiio/interpose/opening.hpp"

#include <string>
#include <utility>

#include "mpiio/file/errors.hpp"
#include "mpiio/file/native.hpp"
#include "mpiio/file/process.hpp"

namespace kumihimo::mpiio {

bool concerns_us(MPI_Comm comm, const char* name) {
    int inter = 0;
    if (name == nullptr || comm == MPI_COMM_NULL || !serving()) return false;
    return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0;
}

int refuse(const char* function, MPI_Comm comm, const base::Failure& failure) {
    static std::string said;  // a program that goes on gets the same for each file
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    report_failure(function, failure, rank == 0 && std::exchange(said, failure.text) != failure.text);
    return native::call_errhandler(MPI_FILE_NULL, error_code(failure));
}

int get_small_extent(File& file, MPI_Datatype type, MPI_Aint* extent) {
    MPI_Count large = 0;
    const int code = operations::get_type_extent(file, type, extent == nullptr ? nullptr : &large);
    if (code == MPI_SUCCESS && extent != nullptr) *extent = static_cast<MPI_Aint>(large);
    return code;
}

}  // namespace kumihimo::mpiio
