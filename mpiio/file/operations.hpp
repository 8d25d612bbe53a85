// The MPI-IO functions of a served file, one for each MPI_File_* function, with `File&` in place of the handle and 64-bit
// counts: what the entry points of interpose/ call. They return what the MPI function returns; the file's error handler has
// been called. Meaning, arguments and errors are those of the MPI standard 3.1, chapter 13 (4.0, chapter 14).
#pragma once

#include <mpi.h>

#include <string>

#include "mpiio/engine/selection.hpp"

namespace kumihimo::mpiio {

class File;

// The served file behind a handle, or none: handles of other files, MPI_FILE_NULL and garbage belong to the MPI library.
File* served(MPI_File handle);

namespace operations {

// ---- manipulation ----
// Collective; the ranks agree on engine and access mode already (interpose/decision.hpp).
int open(MPI_Comm comm, const Choice& choice, int amode, MPI_Info info, MPI_File* handle);
int close(File& file, MPI_File* handle);          // collective
int remove(const Choice& choice, MPI_Info info);  // MPI_File_delete
int set_size(File& file, MPI_Offset size);        // collective
int preallocate(File& file, MPI_Offset size);     // collective
int get_size(File& file, MPI_Offset* size);
int get_group(File& file, MPI_Group* group);
int get_amode(File& file, int* amode);
int set_info(File& file, MPI_Info info);  // collective
int get_info(File& file, MPI_Info* info);

// ---- views ----
int set_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, const char* representation,
             MPI_Info info);  // collective
int get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype, char* representation);

// ---- data access ----
int read_at(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int read_at_all(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write_at(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write_at_all(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int read(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int read_all(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write_all(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int read_shared(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write_shared(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int read_ordered(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);
int write_ordered(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status);

int iread_at(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iread_at_all(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iwrite_at(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iwrite_at_all(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iread(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iread_all(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iwrite(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iwrite_all(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iread_shared(File& file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int iwrite_shared(File& file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);

int read_at_all_begin(File& file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type);
int read_at_all_end(File& file, void* buffer, MPI_Status* status);
int write_at_all_begin(File& file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type);
int write_at_all_end(File& file, const void* buffer, MPI_Status* status);
int read_all_begin(File& file, void* buffer, MPI_Count count, MPI_Datatype type);
int read_all_end(File& file, void* buffer, MPI_Status* status);
int write_all_begin(File& file, const void* buffer, MPI_Count count, MPI_Datatype type);
int write_all_end(File& file, const void* buffer, MPI_Status* status);
int read_ordered_begin(File& file, void* buffer, MPI_Count count, MPI_Datatype type);
int read_ordered_end(File& file, void* buffer, MPI_Status* status);
int write_ordered_begin(File& file, const void* buffer, MPI_Count count, MPI_Datatype type);
int write_ordered_end(File& file, const void* buffer, MPI_Status* status);

// ---- pointers ----
int seek(File& file, MPI_Offset offset, int whence);
int get_position(File& file, MPI_Offset* offset);
int get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement);
int seek_shared(File& file, MPI_Offset offset, int whence);  // collective
int get_position_shared(File& file, MPI_Offset* offset);

// ---- consistency, interoperability ----
int set_atomicity(File& file, int flag);  // collective
int get_atomicity(File& file, int* flag);
int sync(File& file);  // collective
int get_type_extent(File& file, MPI_Datatype type, MPI_Count* extent);

}  // namespace operations
}  // namespace kumihimo::mpiio
