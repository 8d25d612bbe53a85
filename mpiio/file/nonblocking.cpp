// Nonblocking data access (MPI 3.1, 13.4.2 to 13.4.4).
//
// A nonblocking call moves its data before it returns, so that what can fail fails where the program looks: the MPI library
// would end the job if a generalized request failed in MPI_Wait. The request is born complete and carries the status. A
// nonblocking collective must not wait for ranks that have not called yet, so it moves its data independently; what
// failed on this rank all ranks learn at the next blocking collective, sync or close.
#include "mpiio/file/call.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/shared_pointer.hpp"
#include "mpiio/file/transfer.hpp"

namespace kumihimo::mpiio::operations {

namespace {

int fill_status(void* moved, MPI_Status* status) {
    MPI_Status_set_elements_x(status, MPI_BYTE, *static_cast<MPI_Count*>(moved));
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int forget(void* moved) {
    delete static_cast<MPI_Count*>(moved);
    return MPI_SUCCESS;
}

int too_late_to_cancel(void*, int) {
    return MPI_SUCCESS;
}

int complete_request(const Call& call, const Outcome& outcome, MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    MPI_Status status;
    const int code = call.complete(outcome, &status);
    if (code != MPI_SUCCESS) return code;
    auto* const moved = new MPI_Count(0);
    MPI_Get_elements_x(&status, MPI_BYTE, moved);
    MPI_Grequest_start(fill_status, forget, too_late_to_cancel, moved, request);
    return MPI_Grequest_complete(*request);
}

// The position comes from `place(position)`, which may fail.
template <typename Place>
int start(File& file, const char* function, const Transfer& transfer, Pointer pointer, bool collective, MPI_Request* request,
          Place&& place) {
    const Call call(file, function, transfer, false);
    Index position = 0;
    std::optional<Failure> failure = check(file, transfer, pointer);
    if (!failure) failure = place(position);
    const Outcome outcome = failure ? Outcome{0, failure} : move(file, transfer, position);
    if (collective && outcome.failure && !file.left_behind) file.left_behind = outcome.failure;
    return complete_request(call, outcome, request);
}

int start_at(File& file, const char* function, MPI_Offset offset, const Transfer& transfer, bool collective,
             MPI_Request* request) {
    return start(file, function, transfer, Pointer::explicit_offset, collective, request,
                 [&](Index& position) { return position_of(file, offset, position); });
}

int start_individual(File& file, const char* function, const Transfer& transfer, bool collective, MPI_Request* request) {
    return start(file, function, transfer, Pointer::individual, collective, request, [&](Index& position) {
        position = file.position;
        file.position += bytes_of(file, transfer);
        return std::optional<Failure>();
    });
}

int start_shared(File& file, const char* function, const Transfer& transfer, MPI_Request* request) {
    return start(file, function, transfer, Pointer::shared, false, request,
                 [&](Index& position) { return take_shared(file, bytes_of(file, transfer), position); });
}

}  // namespace

int iread_at(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_at(file, "MPI_File_iread_at", offset, reading(buffer, count, type), false, request);
}
int iread_at_all(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_at(file, "MPI_File_iread_at_all", offset, reading(buffer, count, type), true, request);
}
int iwrite_at(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_at(file, "MPI_File_iwrite_at", offset, writing(buffer, count, type), false, request);
}
int iwrite_at_all(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_at(file, "MPI_File_iwrite_at_all", offset, writing(buffer, count, type), true, request);
}
int iread(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_individual(file, "MPI_File_iread", reading(buffer, count, type), false, request);
}
int iread_all(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_individual(file, "MPI_File_iread_all", reading(buffer, count, type), true, request);
}
int iwrite(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_individual(file, "MPI_File_iwrite", writing(buffer, count, type), false, request);
}
int iwrite_all(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_individual(file, "MPI_File_iwrite_all", writing(buffer, count, type), true, request);
}
int iread_shared(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_shared(file, "MPI_File_iread_shared", reading(buffer, count, type), request);
}
int iwrite_shared(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request) {
    return start_shared(file, "MPI_File_iwrite_shared", writing(buffer, count, type), request);
}

}  // namespace kumihimo::mpiio::operations
