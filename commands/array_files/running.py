"""What the commands on files of arrays share: the options of those that take many files, and values as text."""

from ..command_line import Parser


def files_parser(name, text, *, end, operand, json):
    """Of files, and --json. text, end: before and behind the options in their help."""
    one = Parser(f"kumihimo files {name}", text, "FILE...", epilog=f"exit code: {end}")
    one.add_argument("files", metavar="FILE", nargs="+", help=operand)
    one.add_argument("--json", action="store_true", help=f"for programs: a list of files{json}")
    return one


def json_number(value):
    """A value of NumPy as JSON has it; numbers that JSON does not have are strings."""
    kind = value.dtype.kind
    if kind == "b":
        return bool(value)
    if kind in "iu":
        return int(value)
    if kind == "f":
        plain = float(value)
        return plain if plain - plain == 0 else str(plain)
    if kind == "c":
        return [json_number(value.real), json_number(value.imag)]
    return text_of(value)


def text_of(value):
    """A value of NumPy for people: as many digits as tell it from its neighbours."""
    kind = value.dtype.kind
    if kind == "V":
        return value.tobytes().hex()
    if kind == "S":
        return value.tobytes().decode("latin-1")
    return str(value)
