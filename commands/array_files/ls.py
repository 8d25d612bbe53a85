"""`kumihimo files ls`: the arrays in files."""

import json
import os

from ..command_line import Command
from ..failure import performer
from ..remote import listing
from ..remote.names import has_scheme
from ..remote.running import performer as elsewhere
from .flat import checksum_text, read_description
from .opening import File
from .running import files_parser


def parser():
    return files_parser(
        "ls",
        "Lists the arrays in files: flat ones with a description beside them, and netCDF.\n\n"
        "Of a directory the files in it are listed. Contents are not read.\n"
        "Of names as stampi://HOST/PATH the directory there is listed, whatever is in it.",
        end="0, or 2 for a file that cannot be read",
        operand="a file or a directory, of this machine or another one",
        json="",
    )


def perform(options):
    if any(map(has_scheme, options.files)):
        return elsewhere("kumihimo files ls", listing.perform)(options)
    files = [File(path) for path in _paths(options.files)]
    if options.json:
        print(json.dumps([report(file) for file in files], indent=2))
        return 0
    for number, file in enumerate(files):
        print("" if number == 0 else "\n", end="")
        print("\n".join(_lines(report(file))))
    return 0


def _paths(given):
    for path in given:
        if not os.path.isdir(path):
            yield path
            continue
        for name in sorted(os.listdir(path)):
            one = os.path.join(path, name)
            if os.path.isfile(one) and (name.endswith(".nc") or read_description(one) is not None):
                yield one


def report(file):
    """What is known of a file without its contents."""
    one = {
        "file": file.path,
        "format": "flat",
        "bytes": file.bytes,
        "variables": [_of(variable) for variable in file.variables],
    }
    if file.kind == "netcdf":
        one["format"] = f"netCDF CDF-{file.about.version}"
        one["records"] = file.about.records
        one["attributes"] = file.about.attributes
    return one


def _of(variable):
    one = {
        "name": variable.name,
        "type": variable.type,
        "shape": list(variable.shape),
        "order": "column-major" if variable.column_major else "row-major",
        "offset": variable.offset,
    }
    source = variable.source
    if hasattr(source, "dimensions"):
        one["dimensions"] = list(source.dimensions)
        one["attributes"] = source.attributes
    elif source.checksum is not None:
        one["checksum"] = checksum_text(source.checksum)
    return one


def _lines(one):
    yield f"{one['file']}: {one['format']}, {one['bytes']} bytes" + (f", {one['records']} records" if "records" in one else "")
    rows = [_row(variable) for variable in one["variables"]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  " + "  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()


def _row(variable):
    extents = " x ".join(map(str, variable["shape"])) or "scalar"
    notes = [f"({', '.join(variable['dimensions'])})"] if variable.get("dimensions") else []
    notes += [variable["attributes"]["units"]] if isinstance(variable.get("attributes", {}).get("units"), str) else []
    notes += ["column-major"] if variable["order"] == "column-major" else []
    notes += [variable["checksum"]] if "checksum" in variable else []
    return variable["name"], variable["type"], extents, f"at byte {variable['offset']}", ", ".join(notes)


COMMAND = Command(parser, performer("kumihimo files ls", perform))
