"""mpi4py: each rank writes 500 integers of the file named first, collectively and not, and reads its neighbour's."""

import array
import sys

from mpi4py import MPI

N = 500
comm = MPI.COMM_WORLD
values = array.array("i", range(comm.rank * N, comm.rank * N + N))
file = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(4 * N * comm.rank, [values[: N // 2], MPI.INT])
file.Write_at(4 * N * comm.rank + 4 * (N // 2), [values[N // 2 :], MPI.INT])
file.Sync()
comm.Barrier()
file.Sync()
neighbour = (comm.rank + 1) % comm.size
values = array.array("i", bytes(4 * N))
file.Read_at_all(4 * N * neighbour, [values, MPI.INT])
if list(values) != list(range(neighbour * N, neighbour * N + N)):
    comm.Abort(1)
file.Close()
if comm.rank == 0:
    print(f"wrote {comm.size * N} integers")
