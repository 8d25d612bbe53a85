"""The header of netCDF files in the classic formats CDF-1, CDF-2 and CDF-5, which XMP programs write through PnetCDF: where
each variable lies. After the specifications of the formats in the NetCDF User's Guide and in PnetCDF's manual."""

import dataclasses
import math
import struct

from ..failure import Failure

MAGIC = {b"CDF\x01": 1, b"CDF\x02": 2, b"CDF\x05": 5}
# external type: (name, bytes, letter of the module struct)
TYPES = {
    1: ("int8", 1, "b"),
    2: ("char", 1, "c"),
    3: ("int16", 2, "h"),
    4: ("int32", 4, "i"),
    5: ("float32", 4, "f"),
    6: ("float64", 8, "d"),
    7: ("uint8", 1, "B"),
    8: ("uint16", 2, "H"),
    9: ("uint32", 4, "I"),
    10: ("int64", 8, "q"),
    11: ("uint64", 8, "Q"),
}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 0x0A, 0x0B, 0x0C


@dataclasses.dataclass
class NetcdfVariable:
    name: str
    dimensions: tuple  # names
    lengths: tuple  # that of the record dimension is 0 here
    is_record: bool
    type: str
    element_bytes: int
    attributes: dict
    told_bytes: int  # what the header says of it, or of one record of it
    begin: int

    def numpy_type(self, numpy):
        return numpy.dtype("S1" if self.type == "char" else self.type).newbyteorder(">")

    @property
    def bytes(self):
        """Of the variable, or of one of its records, without padding."""
        return math.prod(self.lengths[1:] if self.is_record else self.lengths) * self.element_bytes


@dataclasses.dataclass
class Header:
    version: int
    records: int
    dimensions: dict
    attributes: dict
    variables: list
    bytes: int  # of the header itself

    @property
    def record_bytes(self):
        """From one record to the next. A single variable of small elements is not padded."""
        sizes = [variable.bytes for variable in self.variables if variable.is_record]
        return sizes[0] if len(sizes) == 1 else sum(map(padded, sizes))

    @property
    def file_bytes(self):
        """Where the last variable ends; files may be longer, by padding."""
        ends = [variable.begin + variable.bytes for variable in self.variables if not variable.is_record]
        if self.records > 0:
            last = (self.records - 1) * self.record_bytes
            ends += [variable.begin + last + variable.bytes for variable in self.variables if variable.is_record]
        return max([self.bytes, *ends])


def padded(count):
    return -(-count // 4) * 4


def read_header(path, data):
    """data: bytes of the file, which may be a mapping of it."""
    version = MAGIC.get(bytes(data[:4]))
    if version is None:
        raise Failure(f"{path}: no netCDF file in a classic format")
    try:
        return _Reader(data, version).header()
    except (_Bad, UnicodeDecodeError) as error:
        raise Failure(f"{path}: damaged header: {error}") from None


class _Bad(Exception):
    pass


class _Reader:
    def __init__(self, data, version):
        self.data, self.version, self.place = data, version, 4

    def header(self):
        records = self._count()
        if records == (1 << (64 if self.version == 5 else 32)) - 1:
            raise _Bad("the number of records is not told (it was written as a stream)")
        self.dimensions = self._list(_DIMENSIONS, lambda: (self._name(), self._count()))
        attributes = self._attributes()
        variables = self._list(_VARIABLES, self._variable)
        return Header(self.version, records, dict(self.dimensions), attributes, variables, self.place)

    def _variable(self):
        name = self._name()
        ids = [self._count() for _ in range(self._counted(1))]
        if any(number >= len(self.dimensions) for number in ids):
            raise _Bad(f"variable '{name}' has a dimension that is not there")
        attributes = self._attributes()
        kind, size, _ = self._type()
        told = self._count()
        begin = self._number(4 if self.version == 1 else 8)
        lengths = tuple(self.dimensions[number][1] for number in ids)
        names = tuple(self.dimensions[number][0] for number in ids)
        is_record = bool(lengths) and lengths[0] == 0
        if any(length == 0 for length in lengths[1:]):
            raise _Bad(f"variable '{name}' has the record dimension in another place than the first")
        return NetcdfVariable(name, names, lengths, is_record, kind, size, attributes, told, begin)

    def _attributes(self):
        return dict(self._list(_ATTRIBUTES, self._attribute))

    def _attribute(self):
        name = self._name()
        kind, size, letter = self._type()
        count = self._counted(size)
        values = self._take(count * size)
        self._pad()
        if kind == "char":
            return name, values.rstrip(b"\0").decode(errors="replace")
        return name, list(struct.unpack(f">{count}{letter}", values))

    def _list(self, tag, one):
        found, count = self._number(4), self._count()
        if found == 0 and count == 0:
            return []
        if found != tag:
            raise _Bad(f"at byte {self.place} a list with the mark {found} instead of {tag}")
        return [one() for _ in range(count)]  # each takes bytes, of which there are not more than the file has

    def _type(self):
        number = self._number(4)
        if number not in TYPES or (self.version != 5 and number > 6):
            raise _Bad(f"at byte {self.place} the type {number}, which there is not")
        return TYPES[number]

    def _name(self):
        name = self._take(self._counted(1)).decode()
        self._pad()
        return name

    def _counted(self, size):
        """A number of things of `size` bytes that follow, at least."""
        count = self._count()
        if count * size > len(self.data) - self.place:
            raise _Bad(f"at byte {self.place} a list that is longer than the file")
        return count

    def _count(self):
        return self._number(8 if self.version == 5 else 4)

    def _number(self, size):
        return int.from_bytes(self._take(size), "big")

    def _take(self, size):
        if self.place + size > len(self.data):
            raise _Bad("the file ends inside it")
        taken = bytes(self.data[self.place : self.place + size])
        self.place += size
        return taken

    def _pad(self):
        self.place = padded(self.place)
