"""`kumihimo files diff`: whether two files have the same values."""

import json

from ..command_line import Command, Parser
from ..failure import performer
from . import packages
from .opening import File, windows
from .running import json_number, text_of

_WINDOW = 1 << 20  # elements compared at a time


def parser():
    one = Parser(
        "kumihimo files diff",
        "Compares the arrays of two files, flat ones or netCDF, and tells the first and the largest difference.\n\n"
        "Arrays of the same name are compared, whatever their types and orders. Two values are the same if they differ by at\n"
        "most --absolute, or by at most --relative times the larger of the two; so are two that are no numbers. Needs NumPy.",
        "FILE FILE [VARIABLE]",
        epilog="exit code: 0 the same, 1 not the same, 2 failure",
    )
    one.add_argument("first", metavar="FILE", help="one file")
    one.add_argument("second", metavar="FILE", help="the other")
    one.add_argument("variable", metavar="VARIABLE", nargs="?", help="compare this one only")
    one.add_argument("--absolute", metavar="A", type=_tolerance, default=0.0, help="(default: 0)")
    one.add_argument("--relative", metavar="R", type=_tolerance, default=0.0, help="(default: 0)")
    one.add_argument("--json", action="store_true", help="for programs")
    return one


def _tolerance(text):
    value = float(text)
    if not value >= 0:
        raise ValueError(text)
    return value


def perform(options):
    numpy = packages.need("numpy", "kumihimo files diff")
    files = [File(options.first), File(options.second)]
    if options.variable is not None:
        pairs = [tuple(file.variable(options.variable) for file in files)]
    else:
        pairs = list(_pairs(files))
    reports = [_compare(numpy, files, *pair, options) for pair in pairs]
    same = all(report["same"] for report in reports)
    if options.json:
        print(json.dumps({"files": [file.path for file in files], "same": same, "variables": reports}, indent=2))
    else:
        for report in reports:
            for line in _lines(report, files):
                print(line)
    return 0 if same else 1


def _pairs(files):
    """Variables of the same name; None where a file has none."""
    second = {variable.name: variable for variable in files[1].variables}
    for variable in files[0].variables:
        yield variable, second.pop(variable.name, None)
    for variable in second.values():
        yield None, variable


def _compare(numpy, files, first, second, options):
    report = {"name": (first or second).name, "same": False}
    if first is None or second is None:
        report["missing"] = files[0 if first is None else 1].path
    elif first.shape != second.shape:
        report["shapes"] = [list(first.shape), list(second.shape)]
    else:
        views = [variable.view(numpy, file.data) for variable, file in zip((first, second), files)]
        if (views[0].dtype.kind in "VS") != (views[1].dtype.kind in "VS") or (
            views[0].dtype.kind in "VS" and views[0].dtype.itemsize != views[1].dtype.itemsize
        ):
            report["types"] = [first.type, second.type]
        else:
            _compare_values(numpy, views, first.order(), options, report)
    return report


def _compare_values(numpy, views, order, options, report):
    """A window at a time, in the order of the first file."""
    report.update(elements=int(views[0].size), different=0)
    largest = -1.0
    for window in windows(views[0].shape, order, _WINDOW):
        a, b = (numpy.asarray(view[window]) for view in views)
        distance, differs = _distance(numpy, a, b, options)
        count = int(numpy.count_nonzero(differs))
        if count == 0:
            continue
        if report["different"] == 0:
            report["first"] = _place(numpy, numpy.transpose(differs, order).argmax(), window, order, views)
        report["different"] += count
        counted = numpy.where(differs, distance, -1.0)
        at = numpy.transpose(counted, order).argmax()
        highest = float(numpy.transpose(counted, order).flat[at])
        if highest > largest:
            largest, report["largest"] = highest, _place(numpy, at, window, order, views)
            report["largest"]["difference"] = highest if highest < float("inf") else "inf"
    report["same"] = report["different"] == 0


def _wide(numpy, kind):
    """A type in which differences of such values are right: long double has all 64-bit integers."""
    if kind.kind not in "biu":
        return kind
    return numpy.dtype("g" if kind.itemsize == 8 else "f8")


def _distance(numpy, a, b, options):
    """(how far two windows lie apart, where that is too far)"""
    if a.dtype.kind in "VS":
        width = a.dtype.itemsize
        rows = [numpy.ascontiguousarray(one).view("u1").reshape(*one.shape, width) for one in (a, b)]
        differs = (rows[0] != rows[1]).any(axis=-1)
        return differs.astype("f8"), differs
    wide = numpy.result_type(*(_wide(numpy, one.dtype) for one in (a, b)))
    a, b = a.astype(wide), b.astype(wide)
    with numpy.errstate(invalid="ignore", over="ignore"):
        distance = numpy.abs(a - b)
        bound = numpy.maximum(options.absolute, options.relative * numpy.maximum(numpy.abs(a), numpy.abs(b)))
        same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
        distance = numpy.where(same, 0, numpy.where(numpy.isnan(distance), numpy.inf, distance))
        return distance, ~same & ~((distance <= bound) & numpy.isfinite(distance))


def _place(numpy, number, window, order, views):
    """The element with this number in a window, in the order of the file."""
    lengths = [window[dimension].stop - window[dimension].start for dimension in order]
    indices = [0] * len(order)
    for dimension, index in zip(order, numpy.unravel_index(int(number), lengths) if order else ()):
        indices[dimension] = window[dimension].start + int(index)
    values = [view[tuple(indices)] for view in views]
    return {
        "indices": indices,
        "values": [json_number(value) for value in values],
        "text": [text_of(value) for value in values],
    }


def _lines(report, files):
    name = report["name"]
    if "missing" in report:
        yield f"{name}: not in {report['missing']}"
    elif "shapes" in report:
        yield f"{name}: shapes differ: " + " and ".join(" x ".join(map(str, shape)) for shape in report["shapes"])
    elif "types" in report:
        yield f"{name}: types differ: {report['types'][0]} and {report['types'][1]}"
    elif report["same"]:
        yield f"{name}: the same"
    else:
        yield f"{name}: {report['different']} of {report['elements']} elements differ"
        for what in ("first", "largest"):
            place = report[what]
            where = f"[{','.join(map(str, place['indices']))}]"
            apart = f", {place['difference']:g} apart" if "difference" in place and place["difference"] != "inf" else ""
            yield f"  {what}: {name}{where} is {place['text'][0]} and {place['text'][1]}{apart}"


COMMAND = Command(parser, performer("kumihimo files diff", perform))
