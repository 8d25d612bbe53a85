"""h5py: a dataset of size x 500 integers, row r written by rank r, then read by the rank before it."""

import sys

import h5py
import numpy
from mpi4py import MPI

N = 500
comm = MPI.COMM_WORLD
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as file:
    rows = file.create_dataset("v", (comm.size, N), dtype="i4")
    file.attrs["unit"] = "metre"
    with rows.collective:
        rows[comm.rank] = numpy.arange(comm.rank * N, comm.rank * N + N)
with h5py.File(sys.argv[1], "r", driver="mpio", comm=comm) as file:
    next_rank = (comm.rank + 1) % comm.size
    right = file["v"][next_rank].tolist() == list(range(next_rank * N, next_rank * N + N))
    if not right or file.attrs["unit"] != "metre":
        comm.Abort(1)
if comm.rank == 0:
    print(f"wrote {comm.size * N} integers")
