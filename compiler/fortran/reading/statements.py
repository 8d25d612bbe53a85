"""What each statement is, as far as the translation must know: program units, specification and executable part, do loops,
statements that jump."""

from ...record import Record
from .lexer import closing, divided, find, split

# Statements of the specification part by their first word; type declarations are recognised by themselves.
_SPECIFICATION = frozenset(
    "use import implicit parameter dimension allocatable pointer target save common equivalence external intrinsic "
    "data namelist public private "
    "optional intent volatile asynchronous protected value contiguous codimension bind generic procedure enumerator "
    "sequence format include entry static automatic".split()
)
_TYPES = frozenset(("integer", "real", "complex", "logical", "character", "double", "type", "class", "byte"))
_PREFIXES = frozenset(("recursive", "pure", "elemental", "impure", "module", "non_recursive"))
_BLOCKS = {"associate": "associate", "critical": "critical", "where": "where", "forall": "forall"}  # with ( but critical
_ENDS = frozenset(
    "program module submodule subroutine function procedure interface type enum do if select where forall associate "
    "block critical team".split()
)


class Item(Record):
    """A Statement understood.

    kind       program, module, submodule, subroutine, function, blockdata, interface, typedefinition, enum: open a unit or
    block
               end: `what` it ends ("" for a plain end); contains; declaration (of types); specification; directive
               do, if, select, associate, block, critical, team, where, forall: open a construct
               assignment, call, exit, cycle, goto, return, stop, execute: other executable statements
               directive: of ours; pragma: of OpenMP or gfortran
    words      without label and construct name; label, name: those, or None
    name       of a unit, a construct, or the target of exit and cycle
    variable   of a do loop with a counter, and first, last, step: lists of words
    guarded    of `if (...) statement`: the Item of the statement
    begin, end position of the item itself, if it opens a construct or type, and of the one that ends it, also of a unit
    unit       the scoping unit that it belongs to"""

    fields = ("statement", "words")
    label = name = what = variable = terminal = guarded = first = last = step = begin = end = unit = None
    kind = "execute"

    @property
    def executable(self):
        return self.kind in _EXECUTABLE

    def again(self, statement):
        """The Item of another Statement of the same text. Asked before either belongs to a unit."""
        item = Item()
        item.__dict__.update(self.__dict__, statement=statement)
        return item


_EXECUTABLE = frozenset(
    "do if select associate block critical team where forall assignment call exit cycle goto return stop execute".split()
)


def classify(statement, words, fixed=False):
    """The Item of a statement (not of a directive)."""
    item = Item(statement, words)
    item.label = statement.label
    if words and words[0].kind == "number" and len(words) > 1:
        item.label, words = words[0].text, words[1:]
    if fixed and words and words[0].kind == "identifier":
        words = _unglued(words)
    if len(words) > 2 and words[0].kind == "identifier" and words[1].text == ":" and _opens_named(words[2].text):
        item.name, words = words[0].text, words[2:]
    item.words = words
    if words and words[0].kind == "identifier":
        _classify(item, words)
    return item


# Words that old programs write without a blank behind them: it means nothing in fixed form. The longer ones come first.
_GLUED = tuple(
    "implicitnone doubleprecision doublecomplex blockdata subroutine dimension character equivalence external "
    "intrinsic implicit parameter function integer complex logical program include common goto return "
    "entry call data real save do".split()
)
_KNOWN = (
    _SPECIFICATION
    | _TYPES
    | _PREFIXES
    | _ENDS
    | set("call goto go continue return stop pause print read write open close".split())
)


def _unglued(words):
    """`GOTO10`, `DO10I=1,N`, `INTEGERX`, `COMMON/A/B` with their words apart."""
    first = words[0].text
    if not first.startswith(_GLUED):
        return words
    if first in ("doubleprecision", "doublecomplex", "implicitnone"):
        return divided(words, 8 if first == "implicitnone" else 6)
    head = next((word for word in _GLUED if first.startswith(word) and len(first) > len(word)), None)
    if head is None or first in _KNOWN or first.startswith("end"):
        return words
    if head == "do":
        counted = len(words) > 1 and words[1].text == "=" and len(split(words[2:])) > 1
        digits = len(first[2:]) - len(first[2:].lstrip("0123456789"))
        if not counted:
            return words
        words = divided(words, 2)
        return [words[0], *divided(words[1:], digits)] if digits else words
    if _is_assignment(words) or head == "return" and len(words) > 1:
        return words
    words = divided(words, len(head))
    return [words[0], *_unglued(words[1:])]


def _opens_named(text):
    return text in ("do", "if", "select", "where", "forall", "associate", "block", "critical", "change")


def _classify(item, words):
    first = words[0].text
    second = words[1].text if len(words) > 1 else ""
    if _is_assignment(words):
        item.kind = "assignment"
    elif first.startswith("end") and (first == "end" or first[3:] in _ENDS or first == "endblockdata"):
        _end(item, words)
    elif first in ("do",):
        _do(item, words)
    elif first == "if":
        _if(item, words)
    elif first in ("else", "elseif", "elsewhere", "case") or (first in ("type", "class") and second in ("is", "default")):
        item.kind = "execute"
    elif first == "rank" and second in ("(", "default"):
        item.kind = "execute"
    elif first in ("select", "selectcase", "selecttype"):
        item.kind = "select"
    elif first == "block":
        item.kind = "blockdata" if second == "data" else "block"
    elif first == "blockdata":
        item.kind = "blockdata"
    elif first == "change" and second == "team":
        item.kind = "team"
    elif first in _BLOCKS:
        after = closing(words, 1) if second == "(" else 0
        item.kind = _BLOCKS[first] if after == len(words) - 1 or first in ("critical", "associate") else "execute"
    elif first == "contains" and len(words) == 1:
        item.kind = "contains"
    elif first in ("interface", "abstract"):
        item.kind = "interface"
    elif first == "enum":
        item.kind = "enum"
    elif first in ("program", "submodule"):
        item.kind, item.name = first, words[-1].text
    elif first == "module" and len(words) == 2:
        item.kind, item.name = "module", second
    elif first == "module" and second == "procedure" and len(words) == 3:
        item.kind, item.name = "procedure", words[2].text  # of a submodule; in an interface a list of names
    elif _procedure(item, words):
        pass
    elif first == "type" and second != "(":
        item.kind = "typedefinition"
    elif first in _TYPES:
        item.kind = "declaration"
    elif first == "entry":
        item.kind, item.name = "entry", second
    elif first in _SPECIFICATION:
        item.kind = "specification"
        item.words = words[:1] if first == "format" else words  # what it edits is said by letters, which are no names
    else:
        _action(item, words)


def _is_assignment(words):
    position = 1
    while position < len(words):
        text = words[position].text
        if text in ("(", "["):
            position = closing(words, position) + 1
        elif text == "%":
            position += 2
        else:
            return text in ("=", "=>")
    return False


def _end(item, words):
    item.kind = "end"
    first = words[0].text
    item.what = first[3:] if first != "end" else (words[1].text if len(words) > 1 else "")
    if item.what in ("file",):
        item.kind = "execute"
    if item.what == "blockdata" or (item.what == "block" and words[-1].text == "data"):
        item.what = "blockdata"


def _do(item, words):
    item.kind = "do"
    at = 1
    if at < len(words) and words[at].kind == "number":
        item.terminal = words[at].text
        at += 1
    if at < len(words) and words[at].text == ",":
        at += 1
    if at + 1 < len(words) and words[at].kind == "identifier" and words[at + 1].text == "=":
        parts = split(words[at + 2 :])
        if len(parts) in (2, 3) and all(parts):
            item.variable, item.first, item.last = words[at], parts[0], parts[1]
            item.step = parts[2] if len(parts) > 2 else None


def _if(item, words):
    end = closing(words, 1)
    rest = words[end + 1 :]
    if rest and rest[0].text == "then" and len(rest) == 1:
        item.kind = "if"
        return
    item.kind = "execute"
    if rest and rest[0].kind == "identifier":
        item.guarded = Item(item.statement, rest)
        _classify(item.guarded, rest)


def _procedure(item, words):
    """subroutine and function statements, and `module procedure`."""
    position = 0
    while position < len(words):
        text = words[position].text
        if text in ("subroutine", "function") and position + 1 < len(words) and words[position + 1].kind == "identifier":
            after = words[position + 2].text if position + 2 < len(words) else ""
            if text == "function" and after != "(":
                return False
            item.kind, item.name = text, words[position + 1].text
            return True
        if text in _PREFIXES or text in _TYPES or text == "precision":
            position += 1
        elif text == "*" and position:
            position += 2
        elif text == "(" and position:
            position = closing(words, position) + 1
        else:
            return False
    return False


def _action(item, words):
    first = words[0].text
    if first == "call":
        item.kind = "call"
    elif first in ("exit", "cycle"):
        item.kind = first
        item.name = words[1].text if len(words) > 1 else None
    elif first in ("goto", "go"):
        item.kind = "goto"
    elif first == "return":
        item.kind = "return"
    elif first in ("stop", "error"):
        item.kind = "stop"


def purity(words, unit):
    """Whether a procedure's first statement says that it has no side effects: then it can call nothing of ours."""
    prefixes = [word.text for word in words[: next((n for n, word in enumerate(words) if word.text == unit.kind), 0)]]
    return ("pure" in prefixes or "elemental" in prefixes) and "impure" not in prefixes


def targets(item):
    """Labels that a statement may jump to: of goto, computed goto, arithmetic if, alternate returns, and the err=, end= of
    input and output."""
    words = item.words
    if item.kind == "goto":
        opening = find(words, "(")
        listed = words if opening is None else words[opening : closing(words, opening)]
        return [word.text for word in listed if word.kind == "number"][: None if opening is not None else 1]
    if words[0].text == "if" and item.guarded is None:
        return [word.text for word in words[closing(words, 1) + 1 :] if word.kind == "number"]
    returns = zip(words, words[1:], words[2:]) if item.kind == "call" else ()
    found = [label.text for before, star, label in returns if star.text == "*" and before.text in ("(", ",")]
    for number in range(len(words) - 2):
        if words[number].text in ("err", "end", "eor") and words[number + 1].text == "=" and words[number + 2].kind == "number":
            found.append(words[number + 2].text)
    return found
