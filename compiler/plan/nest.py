"""The loop nest behind a loop directive: which of its loops the on clause distributes (specification 4.4.3)."""

from ..directives import tree
from ..record import Record
from ..semantics.entities import ResolvedSubscript
from ..semantics.iteration import loop_mapping
from ..spelling import did_you_mean
from .questions import Loops

QUESTIONS = (Loops,)


class NestedLoop(Record):
    """A loop of the nest as the language reads it. name, variable: of its counter, as text and as the language tells variables
    apart, both None without one; word: for messages; block: the loop; body: what it repeats."""

    fields = ("name", "variable", "word", "block", "body")


class Nest(Record):
    """mapping: semantics.LoopMapping; outer: the outermost NestedLoop; loops: (the language's CountingLoop, whether its bounds
    depend on a loop around it in the nest) of the distributed ones from the outermost, none where the mapping is general."""

    fields = ("mapping", "outer", "loops")


def find(language, directive, place, reference):
    """The Nest of a loop directive, or None after an error."""
    nested = language.nest(place)
    if not nested:
        language.error("XMP-E160", f"a loop directive must be followed by a {language.statement}", directive.word)
        return None
    names = [loop.name for loop in nested if loop.name is not None]
    if not names:
        _no_counter(language, directive, nested[0])
        return None
    unknown = next((word for word in directive.indices or () if word.text not in names), None)
    if unknown is not None:
        _no_such_loop(language, unknown, names)
        return None
    wanted = [word.text for word in directive.indices or ()] or names
    _whole_range(reference, set(names) - set(wanted))
    mapping = loop_mapping(reference, wanted)
    if mapping.general:
        refused = language.refuses("general on clause", directive.on.word)
        return None if refused else Nest(mapping, nested[0], [])
    if not _mentioned(language, directive, mapping, nested[0], names):
        return None
    loops = _distributed(language, directive, nested, mapping)
    return None if loops is None else Nest(mapping, nested[0], loops)


def _whole_range(reference, unlisted):
    """A loop variable that the index list leaves out stands for all its values."""
    for d, subscript in enumerate(reference.subscripts):
        if subscript.kind == tree.SCALAR and unlisted & set(subscript.source.first.names):
            reference.subscripts[d] = ResolvedSubscript(tree.ALL, source=subscript.source)


def _distributed(language, directive, nested, mapping):
    """Nest.loops, or None after an error."""
    found, around = [], set()
    for loop in nested:
        if mapping.of(loop.name) is not None and all(loop.name != counting.name for counting, _ in found):
            counting = language.counting(loop, directive)
            if counting is None:
                return None
            outer = next((word for variable, word in counting.bound_variables.items() if variable in around), None)
            if outer is not None and language.refuses(
                "dependent bounds", outer, [("the loops are distributed here", directive.word)]
            ):
                return None
            found.append((counting, outer is not None))
        around |= {loop.variable} - {None}
    return None if any(_changed(language, counting) for counting, _ in found) else found


def _changed(language, counting):
    word = language.changed(counting)
    if word is not None:
        language.error("XMP-E163", f"the body changes the loop variable '{counting.name}'", word)
    return word is not None


# ---- messages ----


def _no_counter(language, directive, loop):
    message = f"only a {language.statement.replace(' statement', ' loop')} with a counter can be distributed"
    language.error("XMP-E162", message, loop.word, [("it is distributed here", directive.word)])


def _no_such_loop(language, word, names):
    help = did_you_mean(word.text, names, f"the loop variables are {', '.join(names)}")
    language.error("XMP-E161", f"no loop of the nest has the variable '{word.text}'", word, help=help)


def _mentioned(language, directive, mapping, outer, names):
    """Whether the on clause mentions a loop variable, and all those of the index list; if not, that is an error."""
    for word in directive.indices or ():
        if mapping.of(word.text) is None:
            language.error("XMP-E161", f"the loop variable '{word.text}' does not appear in the on clause", word)
            return False
    if not mapping.indices:
        message = f"the on clause does not mention {', '.join(repr(name) for name in names)}"
        help = "write the loop variable as a subscript of the on clause"
        single = [subscript for subscript in directive.on.subscripts if subscript.first is not None]
        word = (single or directive.on.subscripts or [directive.on])[0].word
        language.error("XMP-E161", message, word, [("this loop is to be distributed", outer.word)], help)
    return bool(mapping.indices)
