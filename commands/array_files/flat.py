"""Descriptions of flat files (docs/reference/flat-files.md), and the checksums in them."""

import dataclasses
import json
import math
import re
from typing import Optional

from ..failure import Failure

FORMAT, VERSION = "Kumihimo flat file", 1
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_NUMPY = {"logical": "<i4", "bool": "?", "longdouble": "g", "clongdouble": "G"}
_PLAIN = re.compile(r"u?int(8|16|32|64)|float(16|32|64)|complex(64|128)")


@dataclasses.dataclass
class ArrayInFile:
    name: str
    offset: int
    type: str
    element_bytes: int
    shape: tuple
    order: str
    checksum: Optional[int]

    @property
    def bytes(self):
        return math.prod(self.shape) * self.element_bytes

    def numpy_type(self, numpy):
        """bytes where this machine has no such type."""
        if self.type in _NUMPY or _PLAIN.fullmatch(self.type):
            kind = numpy.dtype(_NUMPY.get(self.type, self.type)).newbyteorder("<")
            if kind.itemsize == self.element_bytes:
                return kind
        return numpy.dtype(f"V{self.element_bytes}")


@dataclasses.dataclass
class Description:
    bytes: int
    arrays: list


def description_name(path):
    return f"{path}.json"


def is_description(text):
    """Whether a JSON text is one, be it sound or not."""
    return isinstance(text, dict) and text.get("format") == FORMAT


def read_description(path):
    """Of the file `path`; None where none stands beside it."""
    name = description_name(path)
    try:
        with open(name, encoding="utf-8") as file:
            text = json.load(file)
        if not is_description(text):
            raise ValueError(f"it is no description of a {FORMAT}")
        return _description(text)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else error
        raise Failure(f"{name}: damaged: {what}") from None


def _description(text):
    if text["version"] != VERSION:
        raise ValueError(f"version {text['version']}, this command reads version {VERSION}")
    if text["byte_order"] != "little":
        raise ValueError(f"byte order {text['byte_order']}")
    return Description(_natural(text["bytes"]), [_array(one) for one in text["arrays"]])


def _array(text):
    checksum = text.get("checksum")
    if checksum is not None and not re.fullmatch(r"sum64:[0-9a-f]{16}", checksum):
        raise ValueError(f"'{checksum}' is no checksum")
    if text["order"] not in ("row-major", "column-major"):
        raise ValueError(f"'{text['order']}' is no order")
    if _natural(text["element_bytes"]) == 0:
        raise ValueError("elements of 0 bytes")
    return ArrayInFile(
        str(text["name"]),
        _natural(text["offset"]),
        _type(text["type"], text["element_bytes"]),
        text["element_bytes"],
        tuple(_natural(extent) for extent in text["shape"]),
        text["order"],
        None if checksum is None else int(checksum[6:], 16),
    )


def _type(name, element_bytes):
    plain = _PLAIN.fullmatch(name)
    if not plain and name not in _NUMPY and name != "bytes":
        raise ValueError(f"'{name}' is no type")
    if plain and 8 * element_bytes != int(plain[plain.lastindex]):
        raise ValueError(f"elements of the type {name} in {element_bytes} bytes")
    return name


def _natural(number):
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"{number!r} is no natural number")
    return number


def checksum(numpy, data, element_bytes, window=1 << 23):
    """Of the bytes of an array in the order of its file. data: a NumPy array of bytes, which may be a mapping of the file."""
    words = -(-element_bytes // 8)
    step = max(1, window // element_bytes)  # elements at a time
    total, count = 0, data.size // element_bytes
    for first in range(0, count, step):
        elements = data[first * element_bytes : min(count, first + step) * element_bytes].reshape(-1, element_bytes)
        filled = numpy.zeros((elements.shape[0], words * 8), dtype="u1")
        filled[:, :element_bytes] = elements
        mixed = filled.view("<u8").ravel().astype("u8")
        start = first * words
        mixed += numpy.arange(start, start + mixed.size, dtype="u8") * numpy.uint64(_GOLDEN)
        for shift, factor in ((30, _FIRST), (27, _SECOND)):
            mixed ^= mixed >> numpy.uint64(shift)
            mixed *= numpy.uint64(factor)
        mixed ^= mixed >> numpy.uint64(31)
        total = (total + int(mixed.sum(dtype="u8"))) % (1 << 64)
    return total


def checksum_text(value):
    return f"sum64:{value:016x}"
