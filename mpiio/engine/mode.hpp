// What an access mode of MPI (MPI 3.1, 13.2.1) asks for, in words.
#pragma once

#include <mpi.h>

namespace kumihimo::mpiio {

constexpr bool has_mode(int amode, int mode) {
    return (amode & mode) != 0;
}
inline bool reads(int amode) {
    return has_mode(amode, MPI_MODE_RDONLY | MPI_MODE_RDWR);
}
inline bool writes(int amode) {
    return has_mode(amode, MPI_MODE_WRONLY | MPI_MODE_RDWR);
}
inline bool creates(int amode) {
    return has_mode(amode, MPI_MODE_CREATE);
}
inline bool exclusively(int amode) {
    return has_mode(amode, MPI_MODE_EXCL);
}
// A file that was not there before: not left behind by an open that fails.
inline bool makes_new(int amode) {
    return creates(amode) && exclusively(amode);
}
inline bool deletes_on_close(int amode) {
    return has_mode(amode, MPI_MODE_DELETE_ON_CLOSE);
}

}  // namespace kumihimo::mpiio
