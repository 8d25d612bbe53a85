"""Which MPI family a program was linked for, read from its ELF file without running anything."""

import os
import struct

_DYNAMIC, _STRING_TABLE, _NEEDED, _RPATH, _RUNPATH, _LOAD = 2, 5, 1, 15, 29, 1
# Shared libraries that belong to one family. (libmpi.so.12 is the name of MPICH's common ABI, libmpi.so.40 Open MPI's.)
_OF_THE_COMPILER = tuple(
    "libc. libm. libdl. librt. libpthread. libgcc_s. libstdc++. libgomp. libgfortran. libquadmath. ld-linux linux-vdso".split()
)
_LIBRARY_OF = (("libmpi.so.40", "openmpi"), ("libmpi.so.20", "openmpi"), ("libmpich.so", "mpich"), ("libmpi.so.12", "mpich"))
_OURS = {"libkumihimo.so", "libkumihimo_caf.so"}


def family_of(path, families):
    """(family, evidence) of the program, or (None, None) where it is no MPI program, a script, or not readable.

    families: names of the families whose libraries of ours lie in a directory of that name."""
    needed, directories = dynamic_entries(path)
    for library in needed:
        for prefix, family in _LIBRARY_OF:
            if library.startswith(prefix):
                return family, f"it needs {library}"
    for library in _OURS.intersection(needed):
        for directory in directories:
            if os.path.basename(os.path.normpath(directory)) in families:
                return os.path.basename(os.path.normpath(directory)), f"it needs {directory}/{library}"
    return None, None


def surely_without_mpi(path):
    """Whether this is a program with shared libraries of which none is MPI's, and which loads none at run time, as interpreters
    do. False for scripts, static programs and where a library cannot be looked into."""
    seen, left = set(), [path]
    while left:
        one = left.pop()
        needed, directories = dynamic_entries(one)
        if one == path and not needed:
            return False
        if any(name.startswith(("libmpi", "libpmi", "libkumihimo", "libfmpi")) for name in needed):
            return False
        if _loads_others(one):
            return False
        for name in {*needed} - seen:
            seen.add(name)
            if not name.startswith(_OF_THE_COMPILER):
                found = _find(name, directories)
                if found is None:
                    return False
                left.append(found)
    return True


def _find(name, directories):
    """A library where the loader looks for it first; None where it may be anywhere."""
    given = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    paths = [os.path.join(place, name) for place in [*directories, *given] if place]
    return next(filter(os.path.exists, paths), None)


def _loads_others(path):
    with open(path, "rb") as file:
        text = file.read()
    return b"\0dlopen\0" in text or b"\0dlmopen\0" in text


def dynamic_entries(path):
    """(needed libraries, library directories) of a 64-bit little-endian ELF file; two empty lists for anything else."""
    try:
        with open(path, "rb") as file:
            return _read(file)
    except (OSError, struct.error, ValueError):
        return [], []


def _read(file):
    head = file.read(64)
    if head[:6] != b"\x7fELF\x02\x01":
        return [], []
    table, entry_bytes, entries = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
    segments = []
    for number in range(entries):
        file.seek(table + number * entry_bytes)
        kind, _, offset, address, _, size = struct.unpack("<IIQQQQ", file.read(40))
        segments.append((kind, offset, address, size))
    dynamic = [segment for segment in segments if segment[0] == _DYNAMIC]
    if not dynamic:
        return [], []
    file.seek(dynamic[0][1])
    tags = list(struct.iter_unpack("<qQ", file.read(dynamic[0][3] // 16 * 16)))
    strings = _offset_in_file(next(value for tag, value in tags if tag == _STRING_TABLE), segments)

    def text(position):
        file.seek(strings + position)
        return file.read(4096).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    directories = []
    for tag, value in tags:
        if tag in (_RPATH, _RUNPATH):
            directories += text(value).replace("$ORIGIN", os.path.dirname(os.path.abspath(file.name))).split(":")
    return [text(value) for tag, value in tags if tag == _NEEDED], directories


def _offset_in_file(address, segments):
    for kind, offset, start, size in segments:
        if kind == _LOAD and start <= address < start + size:
            return address - start + offset
    raise ValueError("no segment holds this address")
