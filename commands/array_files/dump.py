"""`kumihimo files dump`: the values of a section of an array, as text, JSON or a picture."""

import json

from ..command_line import Command, Parser
from ..failure import performer
from . import packages, sections
from .opening import File
from .running import json_number, text_of


def parser():
    one = Parser(
        "kumihimo files dump",
        "Prints a section of an array, a line for each row, or draws it.\n\n"
        "Only what is printed is read, so files may be of any size. Needs NumPy; --plot=FILE needs Matplotlib.",
        "FILE [VARIABLE]",
        epilog="exit code: 0, or 2 for a file or section that cannot be read",
    )
    one.add_argument("file", metavar="FILE", help="a flat file with a description, or netCDF")
    one.add_argument("variable", metavar="VARIABLE", nargs="?", help="which one; it may be left out where there is one only")
    one.add_argument(
        "--slice",
        metavar="SECTION",
        default="",
        help="for each dimension a position or FIRST:END:STEP, as in 3,0:10; positions count from 0, END is not in it",
    )
    form = one.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument(
        "--plot",
        metavar="FILE",
        nargs="?",
        const="-",
        help="draws the section, of one or two dimensions, as PNG into FILE; without FILE in the terminal",
    )
    return one


def perform(options):
    numpy = packages.need("numpy", "kumihimo files dump")
    file = File(options.file)
    variable = file.variable(options.variable)
    section = sections.parse(options.slice, variable.shape)
    values = variable.view(numpy, file.data)[section]
    if options.plot is not None:
        from . import plot

        plot.draw(numpy, values, options.plot, f"{variable.name}[{sections.text_of(section)}]" if section else variable.name)
    elif options.json:
        head = {"file": file.path, "variable": variable.name, "type": variable.type}
        head["slice"], head["shape"] = sections.text_of(section), list(values.shape)
        print(json.dumps(head)[:-1] + ', "values": ', end="")
        _print_json(values)
        print("}")
    else:
        starts = [one if isinstance(one, int) else one.start for one in section]
        _print_rows(values, [(d, starts[d], one.step) for d, one in enumerate(section) if not isinstance(one, int)], section)
    return 0


def _print_json(values):
    """A row at a time."""
    if values.ndim == 0:
        print(json.dumps(json_number(values[()])), end="")
    elif values.ndim == 1:
        print(json.dumps([json_number(value) for value in values]), end="")
    else:
        print("[", end="")
        for number, part in enumerate(values):
            print(", " if number else "", end="")
            _print_json(part)
        print("]", end="")


def _print_rows(values, dimensions, section):
    """dimensions: (number, first position, step) of those that `values` still has. A heading tells where a plane stands."""
    if values.ndim == 0:
        print(text_of(values[()]))
    elif values.ndim == 1:
        _print_row(values)
    elif values.ndim == 2:
        for row in values:
            _print_row(row)
    else:
        dimension, first, step = dimensions[0]
        for number, part in enumerate(values):
            here = (*section[:dimension], first + number * step, *section[dimension + 1 :])
            if part.ndim == 2:
                print(f"[{sections.text_of(here)}]")
            _print_rows(part, dimensions[1:], here)


def _print_row(row):
    separator = "" if row.dtype.kind == "S" else " "
    print(separator.join(text_of(value) for value in row))


COMMAND = Command(parser, performer("kumihimo files dump", perform))
