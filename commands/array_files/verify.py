"""`kumihimo files verify`: whether files are whole."""

import json
import sys

from ..command_line import Command
from ..failure import Failure, performer
from ..remote import comparing
from ..remote.names import has_scheme
from ..remote.running import performer as elsewhere
from . import packages
from .flat import checksum, checksum_text
from .netcdf import padded
from .opening import File
from .running import files_parser


def parser():
    return files_parser(
        "verify",
        "Checks that files are whole: their lengths, headers and descriptions, and checksums where there are any.\n\n"
        "Checksums need NumPy. Two names of which one is stampi://HOST/PATH are compared instead: each machine reads its\n"
        "own file, and only digests travel. stampi+meta:METAFILE is a file that lies in several, and is read from here.",
        end="0 all are whole, 1 something is wrong, 2 a file could not be checked",
        operand="flat files with a description, or netCDF",
        json=", with what is wrong",
    )


def perform(options):
    if any(map(has_scheme, options.files)):
        return elsewhere("kumihimo files verify", comparing.perform)(options)
    reports, code = [], 0
    for path in options.files:
        try:
            reports.append(_report(path))
            code = max(code, 1 if reports[-1]["wrong"] else 0)
        except Failure as failure:
            print(f"kumihimo files verify: {failure}", file=sys.stderr)
            reports.append({"file": path, "failure": str(failure)})
            code = 2
    if options.json:
        print(json.dumps(reports, indent=2))
        return code
    for report in reports:
        if "failure" not in report:
            print(f"{report['file']}: " + ("; ".join(report["wrong"]) or f"whole, {report['checked']}"))
    return code


def _report(path):
    file = File(path)
    wrong, checked = _flat(file) if file.kind == "flat" else _netcdf(file)
    return {"file": path, "wrong": wrong + _overlaps(file), "checked": checked}


def _flat(file):
    wrong = []
    if file.bytes != file.about.bytes:
        wrong.append(f"{file.bytes} bytes, the description says {file.about.bytes}")
    summed = 0
    for variable in file.variables:
        if variable.end() > file.bytes:
            wrong.append(f"'{variable.name}' ends at byte {variable.end()}, behind the file")
        elif variable.source.checksum is not None:
            numpy = packages.need("numpy", "checking a checksum")
            data = numpy.frombuffer(file.data, dtype="u1") if file.bytes else numpy.zeros(0, dtype="u1")
            found = checksum(numpy, data[variable.offset : variable.end()], variable.element_bytes)
            summed += 1
            if found != variable.source.checksum:
                wrong.append(
                    f"'{variable.name}' is damaged: its checksum is {checksum_text(found)}, "
                    f"it was written with {checksum_text(variable.source.checksum)}"
                )
    return wrong, f"checksums of {summed} of {len(file.variables)} arrays"


def _netcdf(file):
    header = file.about
    wrong = []
    # Padding behind the last variable may be missing.
    if file.bytes < header.file_bytes:
        wrong.append(f"{file.bytes} bytes, the header asks for {header.file_bytes}")
    largest = (1 << (64 if header.version == 5 else 32)) - 1
    for variable in header.variables:
        if variable.begin < header.bytes:
            wrong.append(f"'{variable.name}' begins at byte {variable.begin}, inside the header of {header.bytes} bytes")
        # CDF-1 and CDF-2 say the largest number there is of variables beyond it; some writers leave out the padding.
        if variable.told_bytes not in (variable.bytes, padded(variable.bytes), largest):
            wrong.append(
                f"'{variable.name}' has {variable.told_bytes} bytes by the header, {padded(variable.bytes)} by its shape"
            )
    return wrong, "header and length"


def _overlaps(file):
    """Records lie between each other; where the first ones do not overlap none do."""
    places = sorted((one.offset, one.offset + _first_bytes(one), one.name) for one in file.variables if _first_bytes(one))
    return [
        f"'{name}' begins at byte {begin}, inside '{before}'"
        for (_, end, before), (begin, _, name) in zip(places, places[1:])
        if begin < end
    ]


def _first_bytes(variable):
    return variable.source.bytes if not variable.stride or variable.shape[0] else 0


COMMAND = Command(parser, performer("kumihimo files verify", perform))
