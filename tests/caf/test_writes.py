"""Writes to a connection whose other end has died (runtime/caf/writes.cpp): those of Open MPI's TCP module pass for done, and
no others. A library with the module's name stands in for it, so that the connection breaks where the test wants it."""

import subprocess

# What a library does that calls writev.
LIBRARY = """
#include <sys/uio.h>
ssize_t write_pieces(int descriptor, const struct iovec* pieces, int count) { return writev(descriptor, pieces, count); }
"""
PROGRAM = """
program writes
  implicit none
  interface
    subroutine write_everywhere() bind(c)
    end subroutine
  end interface
  call write_everywhere
end program
"""
IN_C = """
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

typedef ssize_t Write(int, const struct iovec*, int);
enum { pieces = 2 };

static void tell(const char* who, int descriptor, Write* write_pieces) {
    char first[] = "abc", second[] = "defg";
    const struct iovec all[pieces] = {{first, 3}, {second, 4}};
    errno = 0;
    const ssize_t written = write_pieces(descriptor, all, pieces);
    printf("%s: %zd %s\\n", who, written, strerror(errno));
}

static Write* of(const char* library) {
    void* const handle = dlopen(library, RTLD_NOW);
    return handle == NULL ? NULL : (Write*)dlsym(handle, "write_pieces");
}

static int broken, mended, other_end;

/* Before images are watched. */
__attribute__((constructor)) static void open_connections(void) {
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    broken = ends[0];
    close(ends[1]);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    mended = ends[0];
    other_end = ends[1];
    tell("module too early", broken, of("./libmca_btl_tcp.so"));
}

void write_everywhere(void) {
    char arrived[8] = "";
    Write* const module = of("./libmca_btl_tcp.so");
    tell("module", broken, module);
    tell("other library", broken, of("./libother.so"));
    tell("program", broken, writev);
    tell("module, no descriptor", -1, module);
    tell("module, connection", mended, module);
    if (read(other_end, arrived, 7) == 7) printf("%s\\n", arrived);
}
"""


def test_writes_to_a_broken_connection(jobs, tmp_path):
    (tmp_path / "writes.f90").write_text(PROGRAM)
    (tmp_path / "writes.c").write_text(IN_C)
    (tmp_path / "library.c").write_text(LIBRARY)
    for library in ("libmca_btl_tcp.so", "libother.so"):
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, "library.c"], cwd=tmp_path, check=True, timeout=60)
    for job in jobs(tmp_path / "writes.f90", tmp_path):
        done = job.run(1)
        assert done.stdout.splitlines() == [
            "module too early: -1 Broken pipe",
            "module: 7 Broken pipe",
            "other library: -1 Broken pipe",
            "program: -1 Broken pipe",
            "module, no descriptor: -1 Bad file descriptor",
            "module, connection: 7 Success",
            "abcdefg",
        ], done
