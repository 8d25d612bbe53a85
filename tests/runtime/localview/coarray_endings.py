"""Runs coarray_ending.c on 3 images: ends of images, and mistakes. coarray_endings.py FAMILY MPIRUN-TEST PROGRAM [armci]

armci: the program has that transport in itself, and only what is particular to it is checked."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

family, mpirun, program = sys.argv[1:4]
pool = ThreadPoolExecutor(4)  # most of their time they wait
checks = []


def check(mode, *messages):
    checks.append(pool.submit(is_right, mode, messages))


def is_right(mode, messages):
    """The program must end well and print nothing, or else print each message once."""
    try:
        done = subprocess.run([mpirun, family, "3", program, mode], text=True, timeout=120, capture_output=True, env=os.environ)
        code, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        code, output, errors = "hang", "", ""
    right = code not in (0, "hang") if messages else code == 0 and not output.strip()
    right = right and all(errors.count(text) == 1 for text in messages)
    print(f"{'ok  ' if right else 'FAIL'} {mode}" + ("" if right else f": status {code}\n{output}{errors}"))
    return right


def conclude():
    sys.exit(0 if all([one.result() for one in checks]) else 1)


if sys.argv[4:] == ["armci"]:
    os.environ.update(KUMIHIMO_SHM="off", KUMIHIMO_TRANSPORT="armci")
    check("good")
    check(
        "unreached",
        "g is a global array, and its part on node 1 lies on another machine: the transport armci reaches only its own memory",
        "Set KUMIHIMO_TRANSPORT=mpi",
        "coarray_ending.c:",
    )
    conclude()

check("good")
check("stopped")
check("last-words")
check("stopped-lock")
check("stopped-without-status", "kumihimo: error: an image that is to be synchronised has ended", "xmp_sync_all")
check("wait", "node 1 will post no more, and what it posted does not match this wait", "#pragma xmp wait(p[1])")
check("wait-any", "all other nodes have ended, and no post matches this wait")
check("image", "coarray a has no image 3: there are images 0 to 2 now", "coarray_ending.c:")
check("outside", "a[10] is outside coarray a[10] on node 1", "coarray_ending.c:")
check("shape", "the sections differ in dimension 1: 4 elements on the left, 5 on the right", "coarray_ending.c:")
check("size", "coarray a has 40 bytes where it is defined, but 44 here")
check("no-coarray", "this memory belongs to no coarray", "coarray_ending.c:")
check("sync-range", "there is no image 3: the images are 0 to 2")
check("unlock", "the lock is not locked", "#pragma xmp unlock(lock_object:[2])")
check("large", "allocation too large: coarray huge asks for")
conclude()
