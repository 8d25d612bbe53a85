"""Fortran with XMP directives to plain Fortran: what xmpf90 does with each source file that has directives."""

import os
import subprocess

from ..diagnostics import Diagnostics, Place, wants_colour
from ..result import Result
from ..unforeseen import guarded, located
from .reading.lines import InvalidLines, Source, statements_of

_FREE = (".f90", ".f95", ".f03", ".f08")


def translate(path, command, options=(), check=False, colour=None):
    """Translates the Fortran file `path`. command: the compiler with MPI's and our include options; options: the user's
    options;
    check: nothing to do here, because the compiler checks the bounds of global arrays as of all others."""
    colour = _colour(colour)
    return guarded("xmpf90", path, lambda: _translate(path, command, options, colour), colour)


def _translate(path, command, options, colour):
    suffix = os.path.splitext(path)[1]
    fixed = suffix.lower() not in _FREE and "-ffree-form" not in options or "-ffixed-form" in options
    if fixed:
        diagnostics = Diagnostics()
        diagnostics.error(
            "XMP-E190", "fixed form is not supported yet in Fortran", Place(path, 1, 0, ""), (), "use free form, in a file .f90"
        )
        return Result(None, diagnostics.render(colour), False)
    if suffix[1:2] == "F" or "-cpp" in options:
        done = subprocess.run([*command, *options, "-cpp", "-E", path], capture_output=True, check=False)
        if done.returncode:
            return Result(None, done.stderr.decode(errors="replace"), False)
        text = done.stdout.decode("utf-8", "surrogateescape")
    else:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    directories = [option[2:] for option in options if option.startswith("-I") and len(option) > 2]
    return translate_text(path, text.replace("\r\n", "\n"), colour, directories)


def translate_text(path, text, colour=False, directories=()):
    from .reading.units import File, InvalidStructure

    source = Source(path, text)
    diagnostics = Diagnostics()
    try:
        file = File(source, statements_of(source))
    except InvalidLines as wrong:
        diagnostics.error("XMP-E100", wrong.message, Place(*source.origin[wrong.line], 0, ""))
    except InvalidStructure as wrong:
        diagnostics.error("XMP-E100", wrong.message, wrong.word)
    else:
        if file.main is None:
            return _without_main(file, text, diagnostics, colour)
        return _lowered(file, diagnostics, directories, colour)
    return Result(None, diagnostics.render(colour), False)


def _lowered(file, diagnostics, directories, colour):
    from ..semantics.model import Model
    from .reading.declarations import Declarations
    from .writing.context import Context
    from .writing.walk import lower

    unit = file.main
    context = Context(file, unit, Declarations(file, unit), Model(diagnostics, language="Fortran"), diagnostics, directories)
    with located(lambda: context.at.words[0] if context.at.words else None):
        lower(context)
    text = context.edits.result() if diagnostics.ok else None
    return Result(text, diagnostics.render(colour), diagnostics.ok, context)


def _without_main(file, text, diagnostics, colour):
    """Modules and procedures may use the library, but no directives yet."""
    for item in file.items:
        if item.kind == "directive" and item.words:
            diagnostics.error("XMP-E190", "directives outside the main program are not supported yet in Fortran", item.words[0])
    return Result(text if diagnostics.ok else None, diagnostics.render(colour), diagnostics.ok)


def _colour(colour):
    import sys

    return wants_colour(sys.stderr) if colour is None else colour
