"""What the commands on files of arrays share: their ends."""

import sys

from .failure import Failure


def performer(name, perform):
    """perform(options), with a Failure told in one line and exit code 2."""

    def performed(options):
        try:
            return perform(options)
        except Failure as failure:
            print(f"kumihimo files {name}: {failure}", file=sys.stderr)
            return 2

    return performed


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
