"""A file of arrays, whatever its form: variables that can be read a piece at a time through a mapping of the file."""

import dataclasses
import mmap
import os

from ..failure import Failure
from .flat import description_name, read_description
from .netcdf import MAGIC, read_header


@dataclasses.dataclass
class Variable:
    name: str
    type: str
    shape: tuple
    offset: int
    stride: int  # from one record to the next; 0: no records
    element_bytes: int
    column_major: bool
    source: object  # flat.ArrayInFile or netcdf.NetcdfVariable

    def order(self):
        """Dimensions, the slowest first."""
        dimensions = range(len(self.shape))
        return list(reversed(dimensions) if self.column_major else dimensions)

    def strides(self):
        """In bytes, of each dimension."""
        strides, step = [0] * len(self.shape), self.element_bytes
        for dimension in reversed(self.order()):
            strides[dimension] = step
            step *= self.shape[dimension]
        if self.stride:
            strides[0] = self.stride
        return strides

    def end(self):
        """The byte behind its last element."""
        if 0 in self.shape:
            return 0
        return self.offset + sum((n - 1) * step for n, step in zip(self.shape, self.strides())) + self.element_bytes

    def view(self, numpy, data):
        """An array that reads the file where it is touched. data: the mapped file."""
        if self.end() > len(data):
            raise Failure(f"variable '{self.name}' ends at byte {self.end()}, the file has {len(data)}")
        if 0 in self.shape:  # it may be placed behind the file's end
            return numpy.empty(self.shape, self.source.numpy_type(numpy))
        return numpy.ndarray(self.shape, self.source.numpy_type(numpy), data, self.offset, self.strides())


class File:
    """kind: "flat" or "netcdf"; about: the Description or the Header; variables: a list; data: the mapped file."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.bytes = os.fstat(file.fileno()).st_size
                magic = file.read(4)
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.bytes else b""
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None
        description = read_description(path)
        if description is not None:
            self.kind, self.about = "flat", description
            self.variables = [_flat_variable(array) for array in description.arrays]
            _tell_apart(self.variables)
        elif magic in MAGIC:
            self.kind, self.about = "netcdf", read_header(path, self.data)
            self.variables = [_netcdf_variable(self.about, variable) for variable in self.about.variables]
        elif magic == b"\x89HDF":
            raise Failure(f"{path}: HDF5 (netCDF-4): XMP programs write the classic formats; nccopy -k cdf5 makes one of it")
        else:
            raise Failure(f"{path}: no netCDF file, and no description {description_name(path)} beside it")

    def variable(self, name):
        """By its name; without one the only one that there is."""
        names = [variable.name for variable in self.variables]
        if name is None and len(names) == 1:
            return self.variables[0]
        if name not in names:
            what = "which variable?" if name is None else f"there is no variable '{name}';"
            raise Failure(f"{self.path}: {what} there are: {', '.join(names) or 'none'}")
        return self.variables[names.index(name)]


def _flat_variable(array):
    order = array.order == "column-major"
    return Variable(array.name, array.type, array.shape, array.offset, 0, array.element_bytes, order, array)


def _tell_apart(variables):
    """An array that was written several times: u, u#2, u#3."""
    times = {}
    for variable in variables:
        times[variable.name] = number = times.get(variable.name, 0) + 1
        variable.name += f"#{number}" if number > 1 else ""


def _netcdf_variable(header, one):
    shape = (header.records, *one.lengths[1:]) if one.is_record else one.lengths
    stride = header.record_bytes if one.is_record else 0
    return Variable(one.name, one.type, shape, one.begin, stride, one.element_bytes, False, one)


def windows(shape, order, limit):
    """Tuples of slices that together are the whole array, in the order of the file, each of at most `limit` elements."""
    lengths = [1] * len(shape)
    room = limit
    for dimension in reversed(order):
        lengths[dimension] = max(1, min(shape[dimension], room))
        room //= max(1, shape[dimension])
    yield from _windows(shape, order, lengths, {})


def _windows(shape, order, lengths, chosen):
    if not order:
        yield tuple(chosen[dimension] for dimension in range(len(shape)))
        return
    dimension, *rest = order
    for first in range(0, shape[dimension], lengths[dimension]):
        chosen[dimension] = slice(first, min(shape[dimension], first + lengths[dimension]))
        yield from _windows(shape, rest, lengths, chosen)
