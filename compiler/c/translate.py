"""C with XMP directives to plain C: what xmpcc does with each source file that has directives."""

from ..diagnostics import Diagnostics, Place, wants_colour
from ..result import Result
from ..unforeseen import guarded, located
from .reading.errors import InvalidSyntax, PreprocessingFailed
from .reading.preprocess import begin


class Options:
    """What the user asks of the translation. check: address every element of a global array through XMP_Element, check
    sections; coindex_base: the number of the first image; transport: the default of KUMIHIMO_TRANSPORT, or None."""

    __slots__ = ("check", "coindex_base", "transport")

    def __init__(self, check=False, coindex_base=0, transport=None):
        self.check = check
        self.coindex_base = coindex_base
        self.transport = transport


def translate(path, command, options=(), wishes=None, colour=None):
    """Translates the C file `path`. command: the compiler with MPI's and our include options; options: the user's options for
    the compiler; wishes: Options. colour: None decides by the terminal."""
    return guarded("xmpcc", path, lambda: _translate(path, command, options, wishes, colour), _colour(colour))


def _translate(path, command, options, wishes, colour):
    try:
        preprocessed = begin(path, command, options)
        from .reading.parser import parse  # what else we need is imported while gcc works
        from .writing import walk  # noqa: F401

        return translate_unit(parse(preprocessed()), wishes, colour)
    except PreprocessingFailed as failure:
        return Result(None, failure.output, False)
    except InvalidSyntax as failure:
        return Result(None, failure.compiler_output or _syntax_message(failure, colour), False)


def translate_unit(unit, wishes=None, colour=None):
    from ..semantics.model import Model
    from .advice import advise
    from .writing.context import Context
    from .writing.walk import lower
    from .writing.weave import GENERATED_HEADER, LOCAL_VIEW_HEADER, weave

    diagnostics = Diagnostics(unit.source.original, warnings="-w" not in unit.source.options)
    context = Context(unit, Model(diagnostics), diagnostics, wishes or Options())
    with located(lambda: context.at.token):
        lower(context)
        advise(context)
    messages = diagnostics.render(_colour(colour))
    if not diagnostics.ok:
        return Result(None, messages, False)
    header = LOCAL_VIEW_HEADER if context.local_view else GENERATED_HEADER
    return Result(weave(unit, context.edits, header), messages, True, context)


def _syntax_message(failure, colour):
    diagnostics = Diagnostics()
    message, _, found = failure.message.partition("; found ")
    text = found.strip("'") if found.startswith("'") else ""
    diagnostics.error("XMP-E100", failure.message, Place(failure.file, failure.line, failure.column, text))
    return diagnostics.render(_colour(colour))


def _colour(colour):
    import sys

    return wants_colour(sys.stderr) if colour is None else colour
