"""Fortran with XMP directives to plain Fortran: what xmpf90 does with each source file that has directives."""

import os

from ..detect import fixed_form
from ..diagnostics import Diagnostics, Place, wants_colour
from ..result import Result
from ..unforeseen import guarded, located


class Options:
    """What the user asks of the translation. master_io: whether I/O statements without a directive are master I/O;
    only_coarrays: whether the file has coarrays and no directives; threads: whether it may have several threads; warnings:
    whether they are wanted. (--check needs nothing here: the compiler checks the bounds of global arrays as of all others.)"""

    __slots__ = ("master_io", "only_coarrays", "threads", "warnings")

    def __init__(self, master_io=False, only_coarrays=False, threads=False, warnings=True):
        self.master_io, self.only_coarrays, self.threads, self.warnings = master_io, only_coarrays, threads, warnings


def translate(path, command, options=(), wishes=None, colour=None):
    """Translates the Fortran file `path`. command: the compiler with MPI's and our include options; options: the user's
    options; wishes: Options."""
    colour = _colour(colour)
    return guarded("xmpf90", path, lambda: _translate(path, command, options, wishes, colour), colour)


def _translate(path, command, options, wishes, colour):
    suffix = os.path.splitext(path)[1]
    directories = _directories(options)
    if suffix[1:2] == "F" or "-cpp" in options:
        import subprocess  # most translations need not wait for it

        done = subprocess.run([*command, *options, "-cpp", "-E", path], capture_output=True, check=False)
        if done.returncode:
            return Result(None, done.stderr.decode(errors="replace"), False)
        text = done.stdout.decode("utf-8", "surrogateescape")
    else:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    fixed, width = _form(path, options)
    wishes = wishes or Options()
    wishes.warnings = wishes.warnings and "-w" not in options
    wishes.threads = wishes.threads or "-fopenmp" in options
    return translate_text(path, text.replace("\r\n", "\n"), colour, directories, fixed, width, wishes)


def _form(path, options):
    """(whether the source is in fixed form, its last column or None), as gfortran decides it."""
    fixed, width = fixed_form(path, options), 72
    for option in options:
        if option.startswith("-ffixed-line-length-"):
            length = option[len("-ffixed-line-length-") :]
            width = int(length) or None if length.isdigit() else None
    return fixed, width


def _directories(options):
    """Where the user's include files and modules lie."""
    words, found = iter(options), []
    for word in words:
        for prefix in ("-I", "-J"):
            if word.startswith(prefix):
                found.append(word[2:] or next(words, ""))
    return found


def translate_text(path, text, colour=False, directories=(), fixed=False, width=72, wishes=None):
    from .reading.inclusions import expanded
    from .reading.lines import InvalidLines, Source, statements_of
    from .reading.modules import Finder, InvalidModule
    from .reading.scopes import Scopes
    from .reading.units import File, InvalidStructure

    source = Source(path, expanded(path, text, directories), fixed, width)
    wishes = wishes or Options()
    diagnostics = Diagnostics(warnings=wishes.warnings)
    try:
        file = File(source, statements_of(source))
        scopes = Scopes(file, Finder(["", *directories, os.path.dirname(path)]))
    except InvalidLines as wrong:
        diagnostics.error(wrong.code, wrong.message, Place(*source.origin[wrong.line], wrong.column, ""))
    except InvalidStructure as wrong:
        diagnostics.error("XMP-E100", wrong.message, wrong.word)
    except InvalidModule as wrong:
        message = "this is no description of a module, or one of another version of xmpf90"
        diagnostics.error("XMP-E100", message, Place(wrong.path, 1, 0, ""), (), "compile the module again")
    else:
        return _lowered(file, scopes, diagnostics, colour, wishes)
    return Result(None, diagnostics.render(colour), False)


def _lowered(file, scopes, diagnostics, colour, wishes):
    from ..semantics.model import Model
    from .advice import advise
    from .reading.structures import Structures
    from .writing.context import Context
    from .writing.walk import lower, lower_coarrays

    structures = Structures(file, scopes, diagnostics.error)
    structures.separate()
    context = Context(file, scopes, structures, Model(diagnostics, language="Fortran"), diagnostics, wishes)
    diagnostics.written = context.shown
    with located(lambda: context.at.words[0] if context.at is not None and context.at.words else None):
        (lower_coarrays if wishes.only_coarrays else lower)(context)
        if diagnostics.ok and not wishes.only_coarrays:
            advise(context)
    text = structures.restored(context.edits.result()) if diagnostics.ok else None
    return Result(text, diagnostics.render(colour), diagnostics.ok, context)


def _colour(colour):
    import sys

    return wants_colour(sys.stderr) if colour is None else colour
