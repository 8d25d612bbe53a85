"""Test suites of other projects that write and read files by MPI-IO: how their programs are compiled and started."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Program:
    """build: shell commands in `folder`, where {cc} and {fc} are the family's compilers. words: how it is started, {file} being
    the name of a file. says: what it prints if all is well. own_name: it takes no name, and has one in its source."""

    name: str
    folder: Path
    build: list
    words: str
    ranks: tuple = (4,)
    says: str = ""
    own_name: bool = False


def defined(names, values=""):
    """What a project's configure would have found."""
    return "".join(f"#define {name} 1\n" for name in names.split()) + values


# ---- MPICH ----

MPICH_HAS = """HAVE_STDLIB_H HAVE_STRING_H HAVE_STDARG_H HAVE_UNISTD_H HAVE_SYS_TIME_H HAVE_GETTIMEOFDAY HAVE_LONG_LONG
HAVE_MPI_IO STDC_HEADERS"""
MPICH_VALUES = "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n#define MAX_INT 2147483647\n"
# What only ROMIO has (syshints, fstype_prefix), and what writes 4 GiB and more.
ROMIO_NOT = {"syshints", "fstype_prefix", "large_array", "large_file", "big_extents"}
ROMIO_RANKS = {"i_noncontig": 2, "noncontig": 2, "noncontig_coll": 2, "error": 1, "status": 1, "types_with_zeros": 2}
ROMIO_WORDS = {
    "aggregation1": "-h -f {file}",
    **dict.fromkeys(("aggregation2", "darray_read", "hindexed", "types_with_zeros"), "{file}"),
    "external32": "",
}


def mpich(copy, _):
    """test/mpi/io, test/mpi/errors/io; ROMIO's tests by their exit codes."""
    (copy / "mpitestconf.h").write_text(defined(MPICH_HAS, MPICH_VALUES))
    (copy / "mpichconf.h").touch()
    (copy / "mtest_mpix.h").touch()
    util = " ".join(f"{copy}/test/mpi/util/{name}.c" for name in ("mtest", "mtest_common", "mtest_single", "dtypes"))
    for folder, listed in (("io", "testlist.in"), ("errors/io", "testlist")):
        here = copy / "test/mpi" / folder
        for line in (here / listed).read_text().splitlines():
            name, ranks, *rest = line.split()
            if any(word.startswith(("mem=", "-large")) for word in rest):  # gigabytes
                continue
            words = " ".join(word.removeprefix("arg=") for word in rest)
            build = f"{{cc}} -w -O1 -I{copy} -I{copy}/test/mpi/include {name}.c {util} -o {name}"
            yield Program(f"{folder}/{name}", here, [build], f"./{name} {words}", (int(ranks),), "No Errors", True)
    here = copy / "src/mpi/romio/test"
    for source in sorted([*here.glob("*.c"), *here.glob("*.c.in")]):
        name = source.name.split(".")[0]
        if name in ROMIO_NOT:
            continue
        words = ROMIO_WORDS.get(name, "-fname {file}")
        build = f"{{cc}} -w -O1 -x c {source.name} -o {name}"
        yield Program(f"romio/{name}", here, [build], f"./{name} {words}", (ROMIO_RANKS.get(name, 4),), own_name=not words)


# ---- PnetCDF ----

PNETCDF_HAS = "HAVE_STDLIB_H HAVE_STRDUP HAVE_STRCASECMP HAVE_DECL_MPI_OFFSET"
PNETCDF_VALUES = "#define PNETCDF_DEBUG 0\n#define SIZEOF_SIZE_T 8\n#define SIZEOF_LONG 8\n#define SIZEOF_INT 4\n"


def pnetcdf(copy, family):
    """With Debian's library, which is Open MPI's; with MPICH that of PNETCDF_DIR, which is else the build's (tools/setup)."""
    test = copy / "test"
    own = Path(os.environ.get("PNETCDF_DIR", REPOSITORY / "build" / "pnetcdf-mpich"))
    library = f"-I{own}/include -L{own}/lib -Wl,-rpath,{own}/lib" if family == "mpich" else ""
    (copy / "config.h").write_text(defined(PNETCDF_HAS, PNETCDF_VALUES))
    compile_with = f"{{cc}} -w -O1 -DHAVE_CONFIG_H -DHAVE_DECL_MPI_OFFSET -I{copy} -I{test}/common {library}"
    for folder in ("testcases", "nonblocking", "C"):
        here = test / folder
        templates = {source.stem for source in here.glob("*.m4")}
        for name in sorted({source.stem for source in here.glob("*.c")} | templates):
            expand = [f"m4 -I{copy}/m4 -DERANGE_FILL {name}.m4 >{name}.c"] if name in templates else []
            build = f"{compile_with} {name}.c {test}/common/testutils.c -o {name} -lpnetcdf -lm -lpthread"
            yield Program(f"{folder}/{name}", here, [*expand, build], f"./{name} {{file}}", (1, 4))


# ---- HDF5 ----

TESTPHDF5 = """testphdf5 t_dset t_file t_file_image t_mdset t_ph5basic t_coll_chunk t_span_tree t_chunk_alloc t_filter_read
t_prop t_coll_md_read"""
# Not t_bigio, gigabytes; t_init_term, which opens no file; t_prestart, t_pflush1 and t_pflush2: one reads what another left.
HDF5_PROGRAMS = "t_mpi testphdf5 t_cache t_cache_image t_pread t_pshutdown t_shapesame t_filters_parallel"
HDF5_LIBRARY = "h5test testframe cache_common swmr_common external_common"


def hdf5(copy, family):
    """testpar, with Debian's library: its version must be that of the sources."""
    here = copy / "testpar"
    (copy / "test" / "H5srcdir_str.h").write_text('#define config_srcdir "."\n')
    compile_with = f"h5pcc.{family} -shlib -w -O1 -I../src -I../test"
    library = " ".join(f"../test/{name}.c" for name in HDF5_LIBRARY.split())
    objects = " ".join(f"{name}.o" for name in HDF5_LIBRARY.split())
    archive = f"[ -e libh5test.a ] || {{ {compile_with} -c {library} && ar rcs libh5test.a {objects}; }}"
    for name in HDF5_PROGRAMS.split():
        sources = " ".join(f"{part}.c" for part in (TESTPHDF5.split() if name == "testphdf5" else [name]))
        shared = "-Wl,--allow-multiple-definition"  # as the project's own library, which is shared: t_cache has `types`, too
        build = f"{compile_with} {sources} libh5test.a {shared} -o {name}"
        yield Program(name, here, [archive, build], f"./{name}", own_name=True)


# ---- NPB ----

NPB_SETTINGS = """MPIF77 = {fc}
FLINK = {fc}
FFLAGS = -O2 -fallow-argument-mismatch -fallow-invalid-boz
FLINKFLAGS = -O2
MPICC = {cc}
CLINK = {cc}
CFLAGS = -O2
CC = gcc
BINDIR = ../bin
RAND = randi8
"""


def npb(copy, _):
    """BT-IO, which reads its file back and compares it."""
    here = copy / "BT"
    for kind in ("full", "simple"):
        for size in ("S", "W"):
            fresh = f"mkdir -p ../bin; printf %s {shlex.quote(NPB_SETTINGS)} >../config/make.def; make clean; touch *.f"
            build = f"make CLASS={size} NPROCS=4 SUBTYPE={kind}"
            program = f"../bin/bt.{size}.4.mpi_io_{kind}"
            yield Program(f"BT-IO {kind} {size}", here, [fresh, build], program, says="SUCCESSFUL", own_name=True)


# ---- IOR ----

IOR_HAS = """HAVE_FCNTL_H HAVE_STDLIB_H HAVE_STRING_H HAVE_STRINGS_H HAVE_SYS_IOCTL_H HAVE_SYS_PARAM_H HAVE_SYS_STATFS_H
HAVE_SYS_STATVFS_H HAVE_SYS_TIME_H HAVE_UNISTD_H HAVE_SYSCONF HAVE_GETTIMEOFDAY HAVE_PUTENV HAVE_REALPATH HAVE_STRCASECMP
HAVE_STRERROR HAVE_STRNCASECMP HAVE_UNAME HAVE_STATFS HAVE_STATVFS"""
IOR_SOURCES = (
    "ior-main ior mdtest utilities parse_options ior-output option md-workbench aiori aiori-DUMMY aiori-MPIIO aiori-POSIX"
)
IOR_RUNS = {  # not mpiio.useStridedDatatype, of which IOR's own check says that it is wrong with OMPIO and ROMIO, too
    "independent": "-b 1m -t 64k",
    "collective": "-b 1m -t 64k -c",
    "segments, collective": "-b 64k -t 64k -s 16 -c",
    "a file view, collective": "-b 64k -t 4k -s 16 -c --mpiio.useFileView=1",
    "a file of each rank": "-b 1m -t 64k -F",
    "preallocated, a sync after each write": "-b 256k -t 64k --mpiio.preallocate=1 -Y",
}


def ior(copy, family):
    """IOR checks what is written (-W -R): by another rank than has written it (-C)."""
    here = copy / "src"
    large = "HAVE_MPI_FILE_READ_C" if family == "mpich" else ""  # of MPI 4
    (here / "config.h").write_text(defined(f"{IOR_HAS} {large}", '#define META_VERSION "-"\n#define PACKAGE_VERSION "-"\n'))
    sources = " ".join(f"{name}.c" for name in IOR_SOURCES.split())
    build = f"{{cc}} -w -O1 -D_GNU_SOURCE -DHAVE_CONFIG_H -DUSE_MPIIO_AIORI -DUSE_POSIX_AIORI -I. {sources} -o ior -lm"
    for name, words in IOR_RUNS.items():
        yield Program(name, here, [build], f"./ior -a MPIIO {words} -w -W -r -R -C -e -o {{file}}", says="Finished")


SUITES = {"mpich": mpich, "pnetcdf": pnetcdf, "hdf5": hdf5, "npb": npb, "ior": ior}
