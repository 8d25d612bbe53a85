"""Which MPI family a program was linked for, read from its ELF file without running anything."""

import os
import struct

_DYNAMIC, _STRING_TABLE, _NEEDED, _RPATH, _RUNPATH, _LOAD = 2, 5, 1, 15, 29, 1
# Shared libraries that belong to one family. (libmpi.so.12 is the name of MPICH's common ABI, libmpi.so.40 Open MPI's.)
_LIBRARY_OF = (("libmpi.so.40", "openmpi"), ("libmpi.so.20", "openmpi"), ("libmpich.so", "mpich"), ("libmpi.so.12", "mpich"))


def family_of(path, families):
    """(family, evidence) of the program, or (None, None) where it is no MPI program, a script, or not readable.

    families: names of the families whose libraries of ours lie in a directory of that name."""
    needed, directories = dynamic_entries(path)
    for library in needed:
        for prefix, family in _LIBRARY_OF:
            if library.startswith(prefix):
                return family, f"it needs {library}"
    if "libkumihimo.so" in needed:
        for directory in directories:
            if os.path.basename(os.path.normpath(directory)) in families:
                return os.path.basename(os.path.normpath(directory)), f"it needs {directory}/libkumihimo.so"
    return None, None


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
