"""What no program may cause in a translator, and some will: errors of our own, told as such and with the place, and texts
nested more deeply than a recursive translator can follow."""

import os
import sys
from contextlib import contextmanager

from .diagnostics import Diagnostics, Place
from .failure import Failure
from .result import Result

_DEEPEST = 10_000  # calls: about 1,300 brackets in each other; Python allows 1,000 calls, 140 brackets
_STACK_OF_A_CALL = 1000  # bytes, before Python 3.11

INTERNAL_ERROR = 70  # exit code: EX_SOFTWARE


@contextmanager
def located(place):
    """Errors inside get to know where in the user's file: place() is a token, a word, anything with file and line."""
    try:
        yield
    except Exception as error:
        if getattr(error, "place", None) is None:
            error.place = place()
        raise


def guarded(name, path, translate, colour):
    """translate() -> Result. Ends the command `name` with one clear message if it fails in a way that nobody foresaw."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _deepest()))
    try:
        return translate()
    except RecursionError as error:
        place = getattr(error, "place", None)
    except Failure:
        raise
    except Exception as error:
        raise Failure(_internal_error(name, path, error), INTERNAL_ERROR) from error
    finally:
        sys.setrecursionlimit(before)
    diagnostics = Diagnostics()
    where = Place(place.file, place.line, 0, "") if place else Place(path, 1, 0, "")
    diagnostics.error("XMP-E100", "the program is nested too deeply here", where, help="divide the expression or the statement")
    return Result(None, diagnostics.render(colour), False)


def _deepest():
    """The calls that surely fit on the stack of this process."""
    import resource

    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return _DEEPEST if stack == resource.RLIM_INFINITY else min(_DEEPEST, stack // _STACK_OF_A_CALL)


def _internal_error(name, path, error):
    import traceback  # only here: start-up time

    place = getattr(error, "place", None)
    where = f"{place.file}:{place.line}" if place else path
    frame = traceback.extract_tb(error.__traceback__)[-1]
    cause = f"{type(error).__name__} in {os.path.basename(frame.filename)}:{frame.lineno}"
    return f"internal error of {name} at {where} ({cause}); please report it with this file"
