"""One translation in this process, as the commands do it, and what must be true of any."""

import os
import pathlib
import re
import signal
import traceback

from kumihimo.compiler import detect
from kumihimo.compiler.c.reading.errors import InvalidSyntax
from kumihimo.compiler.c.reading.parser import parse
from kumihimo.compiler.c.reading.preprocess import make_source
from kumihimo.compiler.c.translate import translate as translate_c
from kumihimo.compiler.c.translate import translate_unit
from kumihimo.compiler.fortran.translate import translate as translate_fortran
from kumihimo.compiler.result import Result
from kumihimo.compiler.unforeseen import guarded

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADERS = ROOT / "runtime" / "include"
C_COMPILER = ["gcc", "-D_XMP=201811", f"-I{HEADERS}", f"-I{HEADERS / 'kumihimo'}", "-DKUMIHIMO_WITHOUT_MPI"]
FORTRAN_COMPILER = ["gfortran"]
FORTRAN = (".f90", ".f")  # of sources in free and in fixed form
_PLACE = re.compile(r"^(.+:\d+(:\d+)?|cc1): (?:fatal )?error: .+", re.M)  # cc1: of gcc, where it has no place either


def sources():
    """The C and Fortran sources of the repository: two dicts, path from the root -> text."""
    c, fortran = {}, {}
    for path in ROOT.rglob("*"):
        name = path.relative_to(ROOT)
        if path.suffix not in (".c", *FORTRAN) or name.parts[0].startswith((".", "build")):
            continue
        data = path.read_bytes()
        if path.suffix in FORTRAN:
            if b"$xmp" in data:
                fortran[str(name)] = data.decode()
        elif detect.has_directives(data, str(path), "c", ["-I" + str(HEADERS)]):
            c[str(name)] = data.decode()
    return c, fortran


def translated_without_gcc(text, path):
    """The same for a C program without a preprocessor line, a macro or a comment: 1 ms instead of 15."""
    source = make_source(f'# 1 "{path}"\n{text}', path, ["true"], [])
    source.original = lambda file=None: text
    return guarded("xmpcc", path, lambda: _of_source(source), False)


def _of_source(source):
    try:
        return translate_unit(parse(source))
    except InvalidSyntax as failure:
        return Result(None, f"{failure}".replace(": ", ": error: ", 1), False)


class TooSlow(BaseException):
    """Not an Exception: the translator must not be able to catch it."""


def wrong_with(path, seconds=10, beside=None):
    """What is wrong with the translator if it is given this file: (kind, details), or None. seconds: of processor time;
    beside: the directory of the headers that the file includes."""
    options = ["-iquote", str(beside)] if beside else []
    return what_is_wrong(lambda: _translated(str(path), options), seconds)


def what_is_wrong(translate, seconds=10):
    """What is wrong with one translation, as above."""
    handler = signal.signal(signal.SIGVTALRM, _too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # our own processor time: neither gcc's nor that of other jobs
    try:
        result = translate()
    except TooSlow:
        return f"more than {seconds} s", ""
    except Exception as failure:
        error = failure.__cause__ or failure  # what the translator wraps in its last word
        frames = traceback.extract_tb(error.__traceback__)
        kind = f"{type(error).__name__} at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}"
        return kind, "".join(traceback.format_exception(error)[-12:])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
    return wrong_result(result)


def _too_slow(*_):
    raise TooSlow


def _translated(path, options):
    data = pathlib.Path(path).read_bytes()
    if path.endswith(FORTRAN):
        detect.has_directives(data, path, "fortran", options)
        return translate_fortran(path, FORTRAN_COMPILER, (), colour=False)
    detect.has_directives(data, path, "c", options)
    detect.starts_program(data, "c")
    return translate_c(path, C_COMPILER, options, colour=False)


def wrong_result(result):
    if "internal error" in result.diagnostics:
        return "internal error", result.diagnostics
    if result.ok:
        return None if isinstance(result.text, str) else ("no text and no error", repr(result.text))
    if result.text is not None:
        return "text in spite of an error", result.diagnostics
    if not _PLACE.search(result.diagnostics):
        return "an error without a place", result.diagnostics or "(nothing)"
    result.diagnostics.encode("utf-8", "backslashreplace")
    return None
