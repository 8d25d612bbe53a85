/* Parallel HDF5: a dataset of size x 500 integers, row r written by rank r; a second run with argument `read` checks it. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 500 };

int main(int argc, char **argv) {
    int rank, size, values[n], wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int reading = argc > 2;
    const hsize_t whole[2] = {(hsize_t)size, n}, start[2] = {(hsize_t)rank, 0}, part[2] = {1, n};
    const hid_t by_mpi = H5Pcreate(H5P_FILE_ACCESS), together = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(by_mpi, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE);
    const hid_t file = reading ? H5Fopen(argv[1], H5F_ACC_RDONLY, by_mpi) : H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, by_mpi);
    const hid_t space = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, part, NULL);
    const hid_t set = reading ? H5Dopen(file, "v", H5P_DEFAULT)
                              : H5Dcreate(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
    if (file < 0 || set < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < n; i++) values[i] = reading ? -1 : rank * n + i;
    const herr_t code = reading ? H5Dread(set, H5T_NATIVE_INT, memory, space, together, values)
                                : H5Dwrite(set, H5T_NATIVE_INT, memory, space, together, values);
    for (int i = 0; i < n; i++) wrong += values[i] != rank * n + i;
    if (code < 0 || wrong != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    H5Dclose(set), H5Sclose(memory), H5Sclose(space);
    if (H5Fclose(file) < 0) MPI_Abort(MPI_COMM_WORLD, 3);
    H5Pclose(by_mpi), H5Pclose(together);
    if (rank == 0) printf("%s %d integers\n", reading ? "read" : "wrote", size * n);
    MPI_Finalize();
    return 0;
}
